// @ts-check
/**
 * `npm run recover -- --apply` as a workload: damage for it to repair, and the data that must exist
 * afterwards.
 */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { readSegment, recordsOf } from '../../../dist/server/db/engines/sqljs/format/segment.js'
import { recoverStore } from '../../../dist/server/db/engines/sqljs/recovery/recover-store.js'
import { migrations } from '../../../dist/server/db/migrations/index.js'
import { knownAuditEntry } from '../../../dist/server/history/chain/known-entry.js'
import { systemClock } from '../../../dist/server/lib/clock.js'
import { bounded, silent, start, unclear } from './scenario.mjs'
import { verify } from './verify.mjs'

/** Files of a store that a recovery sets aside. */
const storeFile = /^(?:snapshot|journal)-\d+\.(?:db|json|log)$/

/** Does the same as server/tools/recover.ts. @param {string} dataDir @param {boolean} apply */
export async function recover(dataDir, apply) {
  // The tool reports this error, and continues without a comparison.
  const knownEntry = await knownAuditEntry(dataDir).catch(() => null)
  const folder = join(dataDir, 'store')
  const options = { folder, dataDir, apply, logger: silent, clock: systemClock, migrations }
  return bounded('the recovery', recoverStore({ ...options, knownAuditEntry: knownEntry }))
}

/** Returns the last segment with synced records, and a record from its middle. @param {string} dataDir */
function lastSegment(dataDir) {
  const store = join(dataDir, 'store')
  const names = readdirSync(store).filter((name) => /^journal-\d+\.log$/.test(name))
  for (const name of names.toSorted().toReversed()) {
    const segment = readSegment(join(store, name))
    const marked = segment?.mark?.offset ?? 0
    const records = segment === undefined ? [] : [...recordsOf(segment)].filter(({ end }) => end <= marked)
    const record = records[Math.floor(records.length / 2)]
    if (segment?.mark && record) return { file: join(store, name), start: segment.mark.start, record }
  }
  throw new Error('no segment holds a record')
}

/** Flips a bit of a record of the last segment. Returns the last transaction that can be kept. @param {string} dataDir */
export function damageRecord(dataDir) {
  const { file, record } = lastSegment(dataDir)
  const handle = openSync(file, 'r+')
  writeSync(handle, Uint8Array.of((record.body.at(-1) ?? 0) ^ 1), 0, 1, record.end - 1)
  closeSync(handle)
  return record.transaction - 1
}

/**
 * Deletes the last segment, and damages restore.json. Returns the last transaction that can be kept.
 * @param {string} dataDir
 */
export function deleteLastSegment(dataDir) {
  const { file, start: first } = lastSegment(dataDir)
  rmSync(file)
  writeFileSync(join(dataDir, 'store', 'restore.json'), '{"sta')
  return first
}

/**
 * Returns the files of a damaged store that are neither in place nor set aside.
 * @param {string} from @param {string} dataDir
 */
export function filesNotSetAside(from, dataDir) {
  const store = join(dataDir, 'store')
  const isPresent = (/** @type {string} */ name, /** @type {Buffer} */ content) =>
    readdirSync(store, { recursive: true })
      .map(String)
      .filter((path) => path === name || path.endsWith(`/${name}`) || path.startsWith(`${name}.damaged-`))
      .some((path) => readFileSync(join(store, path)).equals(content))
  return readdirSync(join(from, 'store'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && (storeFile.test(entry.name) || entry.name === 'restore.json'))
    .filter(({ name }) => !isPresent(name, readFileSync(join(from, 'store', name))))
    .map(({ name }) => `${name} is neither in the store nor set aside`)
}

/**
 * Checks a complete or failed recovery: a start, or another recovery, must result in the expected data.
 * @param {string} folder @param {readonly import('./scenario.mjs').Acknowledged[]} validStates
 * @param {{ readonly from: string, readonly recoverFirst: boolean }} how
 */
export async function verifyRecovered(folder, validStates, { from, recoverFirst }) {
  try {
    if (recoverFirst) await recover(folder, true)
    else if ((await refusal(folder)) !== null) await recover(folder, true)
  } catch (error) {
    const message = error instanceof Error ? error.message : error
    return [...unclear('a further recovery', error), `a further recovery failed: ${message}`]
  }
  return [...filesNotSetAside(from, folder), ...(await verify(folder, validStates))]
}

/**
 * Returns why the service requires a recovery before it starts; null if it starts.
 * @param {string} folder
 */
async function refusal(folder) {
  let server
  try {
    server = await start(folder, { snapshotAtClose: false })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!/npm run recover/.test(message)) throw error
    return message
  }
  await bounded('the stop between', server.close())
  return null
}
