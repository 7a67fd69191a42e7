/**
 * Measures the search in captured input and output: p50 and p95 of first and deep pages by kind of query, each
 * with the ratio to a list with the same filter and no search, the time to make the index, and its size.
 * `node dist/bench/content.js [runs] [captured] [folder]`; default 1,000,000 runs, the newest 200,000
 * captured; a named folder is kept.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { RunsService } from '../server/features/runs/runs.service.ts'
import { hourMs } from '../server/lib/durations.ts'
import { seedRuns } from '../server/tools/seed-runs.ts'
import { actors, ctx, openRunLog, timed } from './run-log.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const captured = Number(process.argv[3] ?? 200_000)
const now = new Date()
const before = (hours: number) => new Date(now.getTime() - hours * hourMs)
type Query = Partial<Parameters<RunsService['list']>[1]>

const queries: Record<string, Query & { readonly content: string }> = {
  'word in every text': { content: 'the' },
  'frequent word': { content: 'invoice' },
  'rare word': { content: 'Babajece' },
  'word that no text has': { content: 'nowhereatall' },
  'number of one order': { content: '123456' },
  'beginning of a word': { content: 'ref' },
  'two frequent words': { content: 'refund delivery' },
  'frequent and rare word': { content: 'the babajece' },
  'phrase, frequent': { content: '"the order"' },
  'phrase, rare': { content: '"thank you wrong"' },
  'phrase that no text has': { content: '"year xyz the"' },
  'phrase of words that are never adjacent': { content: '"shop be order"' },
  'with a workspace': { content: 'invoice', workspace: ['sales'] },
  'with a rare model': { content: 'invoice', model: ['house-finetune-7'] },
  'with errors': { content: 'refund', status: ['error'] },
  'with a user nobody has': { content: 'the', user: ['nobody'] },
  'with a latency nobody has': { content: 'the', min_latency_ms: 86_000_000 },
  'with a day': { content: 'invoice', from: before(48), to: before(24) },
  'oldest first': { content: 'invoice', sort: 'created_at' },
  'offset 5,000': { content: 'the', offset: 5000 },
}

function sizeOf(folder: string, pattern: RegExp): number {
  const names = readdirSync(folder).filter((name) => pattern.test(name))
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 2 ** 20
}

const { db, runs, folder } = await openRunLog(process.argv[4], 'full')
const payloads = join(folder, 'payloads')
const seedStartedAt = performance.now()
const { total } = await runs.list(ctx(), { limit: 1 })
if (total < count) await seedRuns(runs, { count: count - total, days: 89, now, actors, captured })
console.log(
  `${count} runs, ${captured} captured, in ${((performance.now() - seedStartedAt) / 1000).toFixed(0)} s`,
)
await runs.close()
await db.close()

rmSync(join(payloads, 'index'), { recursive: true, force: true })
const big = await openRunLog(folder, 'full')
const indexStartedAt = performance.now()
await big.runs.start()
for (;;) {
  const { content_incomplete: rest } = await big.runs.list(ctx(), { limit: 1, content: 'nowhereatall' })
  if (rest === undefined) break
}
const [text, index] = [sizeOf(payloads, /\.log$/), sizeOf(join(payloads, 'index'), /\.idx$/)]
console.log(
  `index of ${text.toFixed(0)} MiB made in ${((performance.now() - indexStartedAt) / 1000).toFixed(0)} s: ${index.toFixed(0)} MiB (${((index / text) * 100).toFixed(0)} %), ${readdirSync(join(payloads, 'index')).length} files, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB of memory`,
)

console.log('\nquery | matches | p50 ms | p95 ms | ratio to the list | longest stall ms')
for (const [name, query] of Object.entries(queries)) {
  const { content, ...list } = query
  const page = await big.runs.list(ctx(), { limit: 50, ...query })
  const found = await timed(() => big.runs.list(ctx(), { limit: 50, ...query }))
  const plain = await timed(() => big.runs.list(ctx(), { limit: 50, ...list }))
  const matches = `${page.total}${page.total_capped ? '+' : ''}`
  console.log(
    `${name}: ${content} | ${matches} | ${found.p50.toFixed(1)} | ${found.p95.toFixed(1)} | ${(found.p50 / plain.p50).toFixed(1)} | ${found.stall.toFixed(0)}`,
  )
}
console.log(`\n${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`)
await big.runs.close()
await big.db.close()
