/**
 * Compares 10,000 prompts with 100 (`node dist/bench/prompts.js [prompts]`): first pages by each filter as
 * p50 and p95, and the ratio between the sizes. Then measures 1,000 connected clients in another process: the
 * time from publish to receipt as p50, p95 and p99.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { readConfig } from '../server/config.ts'
import { openDb } from '../server/db/engines/sqljs/open.ts'
import { createPromptsService, type PromptsService } from '../server/features/prompts/prompts.service.ts'
import { startServer } from '../server/index.ts'
import { createSharedResults } from '../server/lib/async/shared-results.ts'
import { systemContext } from '../server/lib/context.ts'
import { newUuid } from '../server/lib/ids.ts'

const large = Number(process.argv[2] ?? 10_000)
const clients = 1000
const publishes = 20
const token = 'a-bench-token-of-more-than-32-characters'
const envs = ['dev', 'test', 'prod'] as const
const ctx = () => systemContext(new Date(), 'bench')

function folder(): string {
  const created = mkdtempSync(join(tmpdir(), 'bench-prompts-'))
  process.on('exit', () => rmSync(created, { recursive: true, force: true }))
  return created
}

async function createPrompts(count: number): Promise<PromptsService> {
  const logger = { info() {}, warn: console.warn, error: console.error }
  const { db } = await openDb({ folder: folder(), maxStoreBytes: 1024 ** 3, logger })
  const fields = { description: '', name_folded: '', protected_envs: '', created_at: 0, updated_at: 0 }
  await db.write(async ({ q }) => {
    await q
      .insertInto('workspaces')
      .values({ id: 'default', slug: 'default', name: 'D', ...fields })
      .execute()
  })
  const history = { record: async () => {} }
  const prompts = createPromptsService({
    db,
    history,
    newId: newUuid,
    share: () => createSharedResults(() => 0, 0),
    usage: () => () => 0,
  })
  const createPrompt = (n: number) =>
    prompts.create(ctx(), {
      key: `team-${n % 40}/area-${n % 7}/prompt-${n}`,
      env: envs[n % 3] ?? 'dev',
      content: `You answer question ${n} about {{topic}}. ${'Be brief and be kind to everybody. '.repeat(20)}`,
      model: 'gpt-4o',
      tags: [`tag-${n % 25}`, 'all'],
      category: `category-${n % 5}`,
      draft: n % 10 === 0,
    })
  for (let from = 0; from < count; from += 100)
    await Promise.all(Array.from({ length: Math.min(100, count - from) }, (_, n) => createPrompt(from + n)))
  return prompts
}

const lists: Record<string, Partial<Parameters<PromptsService['list']>[1]>> = {
  'first page': {},
  'first page, summary': { fields: 'summary' },
  'newest first': { sort: '-updated_at' },
  environment: { env: ['prod'] },
  folder: { folder: 'team-7' },
  tag: { tag: ['tag-3'] },
  'tag all have': { tag: ['all'] },
  'q, one word': { q: 'question' },
  'q, rare word': { q: 'prompt 4711' },
  drafts: { draft: true },
  'offset 9,000': { offset: 9000 },
}

async function timed(work: () => Promise<unknown>): Promise<{ p50: number; p95: number }> {
  for (let n = 0; n < 5; n += 1) await work()
  const times: number[] = []
  for (let n = 0; n < 60; n += 1) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return quantiles(times)
}

function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
const ms = (value: number) => `${value.toFixed(1)} ms`

async function compareLists(): Promise<void> {
  const [small, full] = [await createPrompts(100), await createPrompts(large)]
  for (const [name, query] of Object.entries(lists)) {
    const run = (prompts: PromptsService) => timed(() => prompts.list(ctx(), { limit: 50, ...query }))
    const [few, many] = [await run(small), await run(full)]
    console.log(
      `${name.padEnd(22)} p50 ${ms(many.p50)} p95 ${ms(many.p95)} · ${(many.p50 / few.p50).toFixed(1)} × that of 100`,
    )
  }
  const facets = await timed(() => full.facets(ctx(), {}))
  console.log(`${'facets'.padEnd(22)} p50 ${ms(facets.p50)} p95 ${ms(facets.p95)}`)
}

/**
 * Opens the clients in their own process and reports the arrival time of each frame, on the clock that both
 * processes share.
 */
async function listen(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const times: number[] = []
  for (let n = 0; n < clients; n += 1) {
    const socket = new WebSocket(`${url}/ws?client=node-sdk&namespace=prod&app=bench`, { headers })
    socket.on('message', (data) => {
      if (!String(data).includes('prompt.published')) return
      times.push(performance.timeOrigin + performance.now())
      if (times.length === clients) process.send?.(times.splice(0))
    })
    await once(socket, 'open')
  }
  // Enough time for every `hello` to be sent.
  setTimeout(() => process.send?.('ready'), 500)
}

async function fanOut(): Promise<void> {
  const config = readConfig({ PORT: '0', DATA_DIR: folder(), SERVICE_TOKEN: token, LOG_LEVEL: 'error' })
  const server = await startServer(config)
  const call = async (path: string, method: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
    return JSON.parse(await reply.text())
  }
  const { data } = await call('/api/prompts', 'POST', { key: 'bench', env: 'prod', content: 'x' })
  const child = fork(fileURLToPath(import.meta.url), ['listen', server.url.replace('http', 'ws')])
  await once(child, 'message')
  const times: number[] = []
  for (let n = 0; n < publishes; n += 1) {
    await call(`/api/prompts/${data.id}`, 'PATCH', { content: `x ${n}` })
    const received = once(child, 'message')
    const publishedAt = performance.timeOrigin + performance.now()
    await call(`/api/prompts/${data.id}/publish`, 'POST', {})
    const [arrivals] = await received
    times.push(...arrivals.map((at: number) => at - publishedAt))
  }
  const { p50, p95, p99 } = quantiles(times)
  console.log(`publish to receipt on ${clients} clients: p50 ${ms(p50)} p95 ${ms(p95)} p99 ${ms(p99)}`)
  child.kill()
  await server.close()
}

if (process.argv[2] === 'listen') await listen(String(process.argv[3]))
else {
  const [cpu] = cpus()
  console.log(`${large} prompts, ${cpu?.model}`)
  await compareLists()
  await fanOut()
  process.exit(0)
}
