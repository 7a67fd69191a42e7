import { expect, it } from 'vitest'
import type { Run } from '../../../contract/runs/run.ts'
import { type EventStream, openEvents } from '../../support/events.ts'
import { server, setUpService } from '../file-service.ts'

setUpService()

const count = 1000

it('1,000 concurrent streamed runs are each logged once, and the statistics are the sum of the rows', {
  timeout: 120_000,
}, async () => {
  const streams: EventStream[] = []
  // In batches, so that a slow machine does not time out on unread connections.
  while (streams.length < count) {
    const from = streams.length
    const batch = Array.from({ length: 100 }, (_, index) => {
      const n = from + index
      return openEvents(server, '/api/playground/run', {
        content: `Number {{n}}: ${'word '.repeat(n % 20)}`,
        variables: { n },
        provider: 'mock',
        params: { mock: { first_token_ms: 3000, ...(n % 50 === 7 && { fail: 'middle' }) } },
        stream: true,
      })
    })
    streams.push(...(await Promise.all(batch)))
  }
  const ends = await Promise.all(
    streams.map(async (stream, n) => {
      const events = await stream.rest()
      const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text)
      return { n, end: events.at(-1), text: deltas.join('') }
    }),
  )
  const reportedIds = new Set<number>()
  for (const { n, end, text } of ends) {
    const isFailed = n % 50 === 7
    expect(end?.event).toBe(isFailed ? 'error' : 'done')
    expect(text.startsWith('mock completion (mock-small): ')).toBe(true)
    if (!isFailed) expect(end?.data.result.output).toBe(text)
    if (!isFailed) expect(text).toContain(`Number ${n}:`)
    reportedIds.add(isFailed ? end?.data.run_id : end?.data.run.id)
  }
  expect(reportedIds.size).toBe(count)

  const runs: Run[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = (await server.call(`GET /api/runs?limit=200${query}`)).body
    runs.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(runs.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([...reportedIds].sort((a, b) => a - b))

  const stats = (await server.call('GET /api/runs/stats')).body.data
  const sum = (field: 'prompt_tokens' | 'output_tokens' | 'total_tokens') =>
    runs.reduce((total, run) => total + (run[field] ?? 0), 0)
  expect(stats).toMatchObject({
    total: count,
    ok: count - 20,
    error: 20,
    prompt_tokens: sum('prompt_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
    cost_usd: 0,
  })
  const latency = runs.reduce((total, run) => total + run.latency_ms, 0) / count
  expect(stats.avg_latency_ms).toBeCloseTo(latency, 1)
})
