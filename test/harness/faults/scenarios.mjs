// @ts-check
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { restoreBackup } from '../../../dist/server/db/engines/sqljs/recovery/restore.js'
import { StoreError } from '../../../dist/server/db/errors.js'
import { damageRecord, deleteLastSegment, recover, verifyRecovered } from './recovery.mjs'
import { bounded, noneAcknowledged, runWorkload, silent, start, unclear, upTo } from './scenario.mjs'
import { merge, verify } from './verify.mjs'

/** @typedef {import('./scenario.mjs').Acknowledged} Acknowledged */

/** @param {string} folder @param {Acknowledged} acknowledged @param {number} times */
async function startUseStop(folder, acknowledged, times) {
  let server
  try {
    server = await start(folder)
  } catch (error) {
    acknowledged.unclear.push(...unclear('the start', error))
    return
  }
  await runWorkload(server.url, acknowledged, times)
  try {
    await bounded('stopping', server.close())
  } catch (error) {
    acknowledged.unclear.push(...unclear('the stop', error))
  }
}

/** @param {string} folder @param {Acknowledged} acknowledged */
async function restore(folder, acknowledged) {
  const [file = ''] = readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.sqlite'))
  try {
    await bounded(
      'the restore',
      restoreBackup({ folder: join(folder, 'store'), file: join(folder, 'backups', file), logger: silent }),
    )
    acknowledged.restored = true
  } catch (error) {
    acknowledged.unclear.push(...unclear('the restore', error))
  }
  await startUseStop(folder, acknowledged, 1)
}

/** @param {string} folder @param {Acknowledged} acknowledged */
async function applyRecovery(folder, acknowledged) {
  try {
    const { problems, setAside } = await recover(folder, true)
    if (problems.length === 0 || setAside === null)
      acknowledged.unclear.push('the recovery found nothing to do')
  } catch (error) {
    acknowledged.unclear.push(...unclear('the recovery', error))
    // For other errors the tool prints the stack.
    if (!(error instanceof StoreError)) acknowledged.unclear.push(`the recovery ended with a stack: ${error}`)
  }
}

/**
 * @typedef {{ readonly name: string, readonly from: string | null, run(folder: string, acknowledged: Acknowledged):
 *   Promise<void>, verify(folder: string, acknowledged: Acknowledged, variant: number): Promise<string[]> }} Scenario
 * `from`: the folder with which the scenario starts. `verify` runs without a fault; it varies with `variant`.
 */

/** @param {string} from @param {string} to */
function copy(from, to) {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, filter: (name) => !/\.(?:sock|tmp)$/.test(name) })
}

/**
 * Creates a scenario that recovers a damaged copy of a folder.
 * @param {string} name @param {string} from @param {string} to @param {Acknowledged} acknowledged
 * @param {(dataDir: string) => number} damage Returns the last transaction that can be kept.
 * @returns {Promise<Scenario>}
 */
async function createRecoveryScenario(name, from, to, acknowledged, damage) {
  copy(from, to)
  const last = damage(to)
  const { kept } = await recover(to, false)
  if (kept.transaction !== last) throw new Error(`${name}: ${kept.transaction} is kept, not ${last}`)
  const expected = upTo(acknowledged, last)
  const isAll = [...(acknowledged.transactions?.values() ?? [])].every((transaction) => transaction <= last)
  if (expected.runs.size === 0 || isAll)
    throw new Error(`${name}: up to ${last} is ${isAll ? 'everything' : 'nothing'} that was acknowledged`)
  return {
    name,
    from: to,
    run: applyRecovery,
    verify: (folder, _added, variant) =>
      verifyRecovered(folder, [expected], { from: to, recoverFirst: variant % 2 === 0 }),
  }
}

/** Creates the initial folders of the scenarios. @param {string} scratch */
export async function prepare(scratch) {
  const template = join(scratch, 'template')
  rmSync(template, { recursive: true, force: true })
  mkdirSync(template, { recursive: true })
  const acknowledged = { ...noneAcknowledged(), transactions: new Map() }
  const server = await start(template)
  await runWorkload(server.url, acknowledged, 3)
  if (acknowledged.unclear.length > 0) throw new Error(acknowledged.unclear.join('; '))
  // The state after a crash: with a journal to replay.
  const crashed = join(scratch, 'crashed')
  copy(template, crashed)
  await server.close()
  /** @type {Scenario['verify']} */
  const verifyAll = (folder, added) => verify(folder, [merge(acknowledged, added)])
  /** @type {Scenario[]} */
  const scenarios = [
    {
      name: 'new folder',
      from: null,
      run: (folder, added) => startUseStop(folder, added, 2),
      verify: (folder, added) => verify(folder, [added]),
    },
    {
      name: 'recovery',
      from: crashed,
      run: (folder, added) => startUseStop(folder, added, 1),
      verify: verifyAll,
    },
    {
      name: 'restore',
      from: template,
      run: restore,
      // A failed restore may or may not have taken effect; both histories are correct, with the changes after
      // it.
      verify: (folder, added) => verify(folder, [added, merge(acknowledged, added)]),
    },
    await createRecoveryScenario(
      'recover, damaged record',
      crashed,
      join(scratch, 'damaged'),
      acknowledged,
      damageRecord,
    ),
    await createRecoveryScenario(
      'recover, lost segment',
      crashed,
      join(scratch, 'lost'),
      acknowledged,
      deleteLastSegment,
    ),
  ]
  return scenarios
}
