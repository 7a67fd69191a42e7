// @ts-check
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { restoreBackup } from '../../../dist/server/db/engines/sqljs/recovery/restore.js'
import { StoreError } from '../../../dist/server/db/errors.js'
import { damageRecord, loseSegment, recover, verifyRecovered } from './recovery.mjs'
import { bounded, newTold, silent, start, unclear, upTo, use } from './scenario.mjs'
import { together, verify } from './verify.mjs'

/** @typedef {import('./scenario.mjs').Told} Told */

/** @param {string} folder @param {Told} told @param {number} times */
async function startUseStop(folder, told, times) {
  let server
  try {
    server = await start(folder)
  } catch (error) {
    told.unclear.push(...unclear('the start', error))
    return
  }
  await use(server.url, told, times)
  try {
    await bounded('stopping', server.close())
  } catch (error) {
    told.unclear.push(...unclear('the stop', error))
  }
}

/** @param {string} folder @param {Told} told */
async function restore(folder, told) {
  const [file = ''] = readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.sqlite'))
  try {
    await bounded(
      'the restore',
      restoreBackup({ folder: join(folder, 'store'), file: join(folder, 'backups', file), logger: silent }),
    )
    told.restored = true
  } catch (error) {
    told.unclear.push(...unclear('the restore', error))
  }
  await startUseStop(folder, told, 1)
}

/** @param {string} folder @param {Told} told */
async function applyRecovery(folder, told) {
  try {
    const { problems, setAside } = await recover(folder, true)
    if (problems.length === 0 || setAside === null) told.unclear.push('the recovery found nothing to do')
  } catch (error) {
    told.unclear.push(...unclear('the recovery', error))
    // For other errors the tool prints the stack.
    if (!(error instanceof StoreError)) told.unclear.push(`the recovery ended with a stack: ${error}`)
  }
}

/**
 * @typedef {{ readonly name: string, readonly from: string | null, run(folder: string, told: Told):
 *   Promise<void>, verify(folder: string, told: Told, turn: number): Promise<string[]> }} Scenario
 * `from`: the folder with which the scenario starts. `verify` runs without a fault; it varies with `turn`.
 */

/** @param {string} from @param {string} to */
function copy(from, to) {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, filter: (name) => !/\.(?:sock|tmp)$/.test(name) })
}

/**
 * Creates a scenario that recovers a damaged copy of a folder.
 * @param {string} name @param {string} from @param {string} to @param {Told} told
 * @param {(dataDir: string) => number} damage Returns the last transaction that can be kept.
 * @returns {Promise<Scenario>}
 */
async function recovering(name, from, to, told, damage) {
  copy(from, to)
  const last = damage(to)
  const { kept } = await recover(to, false)
  if (kept.transaction !== last) throw new Error(`${name}: ${kept.transaction} is kept, not ${last}`)
  const promised = upTo(told, last)
  const isAll = [...(told.transactions?.values() ?? [])].every((transaction) => transaction <= last)
  if (promised.runs.size === 0 || isAll)
    throw new Error(`${name}: up to ${last} is ${isAll ? 'everything' : 'nothing'} that was acknowledged`)
  return {
    name,
    from: to,
    run: applyRecovery,
    verify: (folder, _now, turn) =>
      verifyRecovered(folder, [promised], { from: to, recoverFirst: turn % 2 === 0 }),
  }
}

/** Creates the initial folders of the scenarios. @param {string} scratch */
export async function prepare(scratch) {
  const made = join(scratch, 'template')
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { recursive: true })
  const told = { ...newTold(), transactions: new Map() }
  const server = await start(made)
  await use(server.url, told, 3)
  if (told.unclear.length > 0) throw new Error(told.unclear.join('; '))
  // The state after a crash: with a journal to replay.
  const crashed = join(scratch, 'crashed')
  copy(made, crashed)
  await server.close()
  /** @type {Scenario['verify']} */
  const withAll = (folder, now) => verify(folder, [together(told, now)])
  /** @type {Scenario[]} */
  const scenarios = [
    {
      name: 'new folder',
      from: null,
      run: (folder, now) => startUseStop(folder, now, 2),
      verify: (folder, now) => verify(folder, [now]),
    },
    {
      name: 'recovery',
      from: crashed,
      run: (folder, now) => startUseStop(folder, now, 1),
      verify: withAll,
    },
    {
      name: 'restore',
      from: made,
      run: restore,
      // A failed restore may or may not have taken effect; both histories are correct, with the changes after
      // it.
      verify: (folder, now) => verify(folder, [now, together(told, now)]),
    },
    await recovering('recover, damaged record', crashed, join(scratch, 'damaged'), told, damageRecord),
    await recovering('recover, lost segment', crashed, join(scratch, 'lost'), told, loseSegment),
  ]
  return scenarios
}
