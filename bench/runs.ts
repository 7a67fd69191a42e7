/**
 * Compares the run log at 10,000 runs and at a larger size: first pages by each filter and statistics as p50
 * and p95, with the ratio between the sizes. Also compares durable ingest with generating the reports only.
 * `node dist/bench/runs.js [runs] [folder]`; default 1,000,000 runs; a named folder is kept.
 */
import { cpus } from 'node:os'
import type { RunsService } from '../server/features/runs/runs.service.ts'
import { hourMs } from '../server/lib/durations.ts'
import { createRandom, seedRun } from '../server/tools/seed-data.ts'
import { seedRuns } from '../server/tools/seed-runs.ts'
import { actors, ctx, openRunLog, type Times, timed } from './run-log.ts'

const large = Number(process.argv[2] ?? 1_000_000)
const now = new Date()
const before = (hours: number) => new Date(now.getTime() - hours * hourMs)

const lists: Record<string, Partial<Parameters<RunsService['list']>[1]>> = {
  'newest page': {},
  provider: { provider: ['claude'] },
  'model, rare': { model: ['house-finetune-7'] },
  source: { source: ['playground'] },
  'status error': { status: ['error'] },
  workspace: { workspace: ['sales'] },
  ref_key: { ref_key: ['lab/chain-of-checks'] },
  version: { version: ['v8'] },
  user: { user: ['rare'] },
  'client nobody has': { client: ['nobody'] },
  'three providers': { provider: ['claude', 'gemini', 'ollama'] },
  'time range': { from: before(48), to: before(24) },
  'ref_key and model': { ref_key: ['translate'], model: ['gpt-4.1'] },
  'q, one word': { q: 'triage' },
  'q, two words': { q: 'house overloaded' },
  'offset 10,000': { offset: 10_000 },
  'unindexed: latency over 100 s': { min_latency_ms: 100_000 },
  'unindexed: latency nobody has': { min_latency_ms: 86_000_000 },
}
const statistics: Record<string, Partial<Parameters<RunsService['stats']>[1]>> = {
  'stats 24 h': { from: before(24) },
  'stats 7 d': { from: before(168) },
  'stats 30 d': { from: before(720) },
  'stats whole log': {},
  'stats whole log by day': { interval: 'day' },
  'stats one provider, 30 d': { from: before(720), provider: ['openai'] },
  'stats one workspace, 7 d': { from: before(168), workspace: ['sales'] },
  'stats two filters, 30 d': { from: before(720), provider: ['openai'], source: ['agent'] },
}

async function measure(count: number, namedFolder?: string) {
  const { db, runs } = await openRunLog(namedFolder)
  const startedAt = performance.now()
  const { total } = await runs.list(ctx(), { limit: 1 })
  if (total < count) await seedRuns(runs, { count: count - total, days: 89, now, actors })
  await runs.maintain()
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`${count} runs in ${seconds.toFixed(1)} s, ${(db.status().usedBytes / 2 ** 20).toFixed(0)} MiB`)
  const found = new Map<string, Times>()
  for (const [name, query] of Object.entries(lists)) {
    found.set(name, await timed(() => runs.list(ctx(), { limit: 50, ...query })))
  }
  for (const [name, query] of Object.entries(statistics)) {
    found.set(name, await timed(() => runs.stats(ctx(), { interval: 'auto', ...query })))
  }
  return { db, runs, found }
}

const small = await measure(10_000)
await small.runs.close()
await small.db.close()
const big = await measure(large, process.argv[3])
const ms = (value: number | undefined) => (value ?? Number.NaN).toFixed(2).padStart(9)
console.log(
  `\n${'ms'.padEnd(32)}${'p50 10 k'.padStart(9)}${'p95 10 k'.padStart(9)}${'p50'.padStart(9)}${'p95'.padStart(9)}    ratio    stall`,
)
for (const [name, largeTimes] of big.found) {
  const smallTimes = small.found.get(name)
  const ratio = (largeTimes.p50 / (smallTimes?.p50 ?? Number.NaN)).toFixed(1).padStart(8)
  console.log(
    `${name.padEnd(32)}${ms(smallTimes?.p50)}${ms(smallTimes?.p95)}${ms(largeTimes.p50)}${ms(largeTimes.p95)} ${ratio}${ms(largeTimes.stall)}`,
  )
}

/** Returns writes per second of concurrent `writers`, each of which awaits every write. */
async function rate(writers: number, write: () => Promise<unknown>): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const until = startedAt + 3000
  const loop = async () => {
    while (performance.now() < until) {
      await write()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: writers }, loop))
  return (done / (performance.now() - startedAt)) * 1000
}

const random = createRandom(7)
const report = () => ({ ...seedRun(random, Date.now()), created_at: null })
console.log()
for (const writers of [1, 10, 50]) {
  const durable = await rate(writers, () => big.runs.report(ctx(), report()))
  const batches = await rate(writers, () => big.runs.report(ctx(), Array.from({ length: 100 }, report)))
  const baseline = await rate(writers, async () => {
    report()
    await new Promise((resolve) => setImmediate(resolve))
  })
  console.log(
    `${writers} writers: ${durable.toFixed(0)} single runs/s (${((durable / baseline) * 100).toFixed(0)} % of generating them only), ${(batches * 100).toFixed(0)} runs/s in batches of 100`,
  )
}
console.log(`\n${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`)
await big.runs.close()
await big.db.close()
