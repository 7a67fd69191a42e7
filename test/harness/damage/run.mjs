// @ts-check
// Damages every file of a data folder in every way: the last part of `npm run test:faults`, started by
// ../faults/all.mjs.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noneAcknowledged, runWorkload, start } from '../faults/scenario.mjs'
import { readArguments } from '../lib/arguments.mjs'
import { createRandom } from '../lib/random.mjs'
import { filesOf, kinds } from './kinds.mjs'
import { checkCase } from './verify.mjs'

const options = readArguments(process.argv.slice(2), { runs: 0, minutes: 0 })
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'promptdeck-damage-'))
const copy = (/** @type {string} */ from, /** @type {string} */ to) =>
  cpSync(from, to, { recursive: true, filter: (name) => !/\.(?:sock|tmp)$/.test(name) })

/** Creates a folder in the state after a crash, an older copy of it, and the list of acknowledged data. */
async function prepare() {
  const live = join(scratch, 'live')
  const older = join(scratch, 'older')
  const crashed = join(scratch, 'crashed')
  mkdirSync(live)
  const acknowledged = { ...noneAcknowledged(), transactions: new Map() }
  // A day earlier, so that the payloads have a second file for the swap.
  const yesterday = { now: () => new Date(Date.now() - 24 * 60 * 60 * 1000) }
  const earlier = await start(live, {}, yesterday)
  await runWorkload(earlier.url, acknowledged, 3)
  await earlier.close()
  const server = await start(live)
  await runWorkload(server.url, acknowledged, 6)
  copy(live, older)
  await runWorkload(server.url, acknowledged, 6)
  const atBackup = structuredClone(acknowledged)
  await runWorkload(server.url, acknowledged, 2, false)
  copy(live, crashed)
  await server.close()
  if (acknowledged.unclear.length > 0) throw new Error(acknowledged.unclear.join('; '))
  return { crashed, older, acknowledged, atBackup }
}

/** @type {string[]} */
const unhandledErrors = []
process.on('unhandledRejection', (error) => unhandledErrors.push(`an unhandled rejection: ${error}`))
process.on('uncaughtException', (error) =>
  unhandledErrors.push(`an uncaught error: ${error?.stack ?? error}`),
)

const { crashed, older, acknowledged, atBackup } = await prepare()
const planned = filesOf(crashed).flatMap((path) => kinds.map((kind) => ({ path, kind })))
const random = createRandom(options.seed)
const shuffled = planned.map((testCase) => ({ testCase, at: random() })).toSorted((a, b) => a.at - b.at)
const ownCases = shuffled
  .map(({ testCase }) => testCase)
  .filter((_, at) => at % options.shards === options.shard - 1)
const counts = { runs: 0, whole: 0, refused: 0, violations: 0 }
let runCount = 0
let last = Date.now()
for (const { path, kind } of ownCases) {
  if (options.runs > 0 && counts.runs >= options.runs) break
  if (options.minutes > 0 && performance.now() > options.minutes * 60_000) break
  runCount += 1
  const folder = join(scratch, `run-${runCount}`)
  copy(crashed, folder)
  const applied = kind.apply(folder, path, older)
  if (applied !== false) {
    unhandledErrors.length = 0
    // If a message names two remedies, they are tested alternately.
    const how = { isSwapped: kind.name === 'swapped with its neighbour', recovers: runCount % 2 === 0 }
    const unreadableFile = typeof applied === 'string' ? join(folder, applied) : null
    const testCase = {
      folder,
      path,
      original: join(crashed, path),
      crashed,
      acknowledged,
      atBackup,
      unreadableFile,
      ...how,
    }
    const { outcome, wrong } = await checkCase(testCase)
    wrong.push(...unhandledErrors)
    counts.runs += 1
    counts[outcome] += 1
    if (wrong.length > 0) {
      counts.violations += 1
      process.stderr.write(`VIOLATION ${path} ${kind.name} (${outcome}): ${wrong.join('; ')}\n`)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  if (Date.now() - last > 10_000) {
    last = Date.now()
    process.stderr.write(`${counts.runs} of ${ownCases.length}\n`)
  }
}
rmSync(scratch, { recursive: true, force: true })
const shard = `${options.shard}/${options.shards}`
process.stdout.write(`${JSON.stringify({ harness: 'damage', seed: options.seed, shard, ...counts })}\n`)
process.exit(counts.violations > 0 ? 1 : 0)
