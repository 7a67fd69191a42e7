// @ts-check
// `npm run test:damage -- --seed N --shard i/n [--runs N]`: damages every file of a data folder in every way.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noneAcknowledged, start, use } from '../faults/scenario.mjs'
import { readArguments } from '../lib/arguments.mjs'
import { createRandom } from '../lib/random.mjs'
import { filesOf, kinds } from './kinds.mjs'
import { judge } from './verify.mjs'

const given = readArguments(process.argv.slice(2), { runs: 0, minutes: 0 })
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
  await use(earlier.url, acknowledged, 3)
  await earlier.close()
  const server = await start(live)
  await use(server.url, acknowledged, 6)
  copy(live, older)
  await use(server.url, acknowledged, 6)
  const atBackup = structuredClone(acknowledged)
  await use(server.url, acknowledged, 2, false)
  copy(live, crashed)
  await server.close()
  if (acknowledged.unclear.length > 0) throw new Error(acknowledged.unclear.join('; '))
  return { crashed, older, acknowledged, atBackup }
}

/** @type {string[]} */
const loose = []
process.on('unhandledRejection', (error) => loose.push(`an unhandled rejection: ${error}`))
process.on('uncaughtException', (error) => loose.push(`an uncaught error: ${error?.stack ?? error}`))

const { crashed, older, acknowledged, atBackup } = await prepare()
const planned = filesOf(crashed).flatMap((path) => kinds.map((kind) => ({ path, kind })))
const random = createRandom(given.seed)
const shuffled = planned.map((one) => ({ one, at: random() })).toSorted((a, b) => a.at - b.at)
const mine = shuffled.map(({ one }) => one).filter((_, at) => at % given.shards === given.shard - 1)
const counts = { runs: 0, whole: 0, refused: 0, violations: 0 }
let runCount = 0
let last = Date.now()
for (const { path, kind } of mine) {
  if (given.runs > 0 && counts.runs >= given.runs) break
  if (given.minutes > 0 && performance.now() > given.minutes * 60_000) break
  runCount += 1
  const folder = join(scratch, `run-${runCount}`)
  copy(crashed, folder)
  const applied = kind.apply(folder, path, older)
  if (applied !== false) {
    loose.length = 0
    // If a message names two remedies, they are tested alternately.
    const how = { isSwapped: kind.name === 'swapped with its neighbour', recovers: runCount % 2 === 0 }
    const unread = typeof applied === 'string' ? join(folder, applied) : null
    const it = {
      folder,
      path,
      original: join(crashed, path),
      crashed,
      acknowledged,
      atBackup,
      unread,
      ...how,
    }
    const { outcome, wrong } = await judge(it)
    wrong.push(...loose)
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
    process.stderr.write(`${counts.runs} of ${mine.length}\n`)
  }
}
rmSync(scratch, { recursive: true, force: true })
const shard = `${given.shard}/${given.shards}`
process.stdout.write(`${JSON.stringify({ harness: 'damage', seed: given.seed, shard, ...counts })}\n`)
process.exit(counts.violations > 0 ? 1 : 0)
