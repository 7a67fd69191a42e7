import { describe, expect, test } from 'vitest'
import { Run } from '../../../../contract/runs/run.ts'
import { RunStatsQuery } from '../../../../contract/runs/run-stats.ts'
import { ExportRunsQuery, ListRunsQuery } from '../../../../contract/runs/runs.ts'
import { at, noon, type RunLog } from '../runs-support.ts'
import { list, log, many, setUpLog } from './read-support.ts'

setUpLog()

describe('filters', () => {
  test('with several values match any of them; an unknown name matches nothing', async () => {
    await log.execution('p1', 'default')
    await many(6, (index) => ({
      provider: ['a', 'b', 'c'][index % 3] ?? '',
      parent_id: index < 2 ? 'p1' : null,
    }))
    expect((await list({ provider: ['a', 'b'] })).data.map((run) => run.id)).toEqual([5, 4, 2, 1])
    expect((await list({ provider: ['a', 'zzz'] })).total).toBe(2)
    expect(await list({ provider: ['zzz'] })).toEqual({ data: [], total: 0, next_cursor: null })
    expect((await list({ parent_id: ['p1'] })).total).toBe(2)
    expect((await list({ parent_id: ['p1', 'p2'], provider: ['b'] })).data.map((run) => run.id)).toEqual([2])
    expect((await list({ status: ['ok', 'error'] })).total).toBe(6)
  })

  test('by time include the beginning and exclude the end', async () => {
    await many(5, (index) => ({ created_at: at(-index * 1000) }))
    const [from, to] = [new Date(noon - 3000), new Date(noon - 1000)]
    expect((await list({ from, to })).data.map((run) => run.id)).toEqual([3, 4])
    expect((await list({ from: to, to: from })).total).toBe(0)
  })

  test('by latency include both ends', async () => {
    await many(5, (index) => ({ latency_ms: index * 10 }))
    expect((await list({ min_latency_ms: 10, max_latency_ms: 30 })).total).toBe(3)
  })

  test('by cost accept an exponent, as JavaScript writes small numbers', async () => {
    await many(3, (index) => ({ cost_usd: index / 1e7 }))
    const { min_cost_usd } = ListRunsQuery.parse({ min_cost_usd: String(1e-7) })
    expect((await list({ min_cost_usd })).total).toBe(2)
  })

  test('runs of a deleted workspace are still found by its id', async () => {
    await log.add({ workspace_id: 'lab' })
    await log.db.write(async ({ q }) => {
      await q.deleteFrom('workspaces').where('id', '=', 'w-lab').execute()
    })
    expect((await list({ workspace: ['w-lab'] })).total).toBe(1)
    expect((await list({ workspace: ['lab'] })).total).toBe(0)
  })

  const schemas = { list: ListRunsQuery, export: ExportRunsQuery, stats: RunStatsQuery }
  test.each([
    ['list', 'source'],
    ['list', 'limit=0'],
    ['list', 'limit=201'],
    ['list', 'offset=10001'],
    ['list', 'sort=model'],
    ['list', 'not_nonsense=1'],
    ['list', 'has=model'],
    ['list', 'min_cost_usd=cheap'],
    ['list', 'metadata=no-colon'],
    ['list', 'env=staging'],
    ['list', 'from=yesterday'],
    ['list', 'status=fine'],
    ['list', 'min_latency_ms=1.5'],
    ['list', 'nonsense=1'],
    ['export', 'format=xml'],
    ['export', 'limit=5'],
    ['stats', 'limit=0'],
    ['stats', 'user_name=edda'],
    ['stats', 'interval=second'],
  ] as const)('a bad query is refused: %s?%s', (name, text) => {
    const query = Object.fromEntries(new URLSearchParams(text))
    expect(schemas[name].safeParse(query).success).toBe(false)
  })
})

describe('export', () => {
  const read = async (query: Parameters<RunLog['runs']['export']>[1]) => {
    const download = await log.runs.export(log.ctx(), query)
    const parts: string[] = []
    for await (const chunk of await download.open()) parts.push(String(chunk))
    return { ...download, parts, text: parts.join('') }
  }

  test('as JSON Lines equals the list, and is audited before it begins', async () => {
    await many(3, (index) => ({ ref_key: `k${index}` }))
    const { text, filename, contentType } = await read({ format: 'jsonl' })
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual((await list()).data)
    expect(filename).toBe('runs-2026-11-21.jsonl')
    expect(contentType).toMatch(/^application\/x-ndjson/)
    expect(log.recorded).toMatchObject([
      { action: 'export', resource: 'run', summary: 'Exported the run log as JSON Lines' },
    ])
  })

  test('as CSV has a header, quotes where needed and escapes formulas', async () => {
    await log.add({
      ref_key: '=HYPERLINK("http://evil")',
      error: 'a "quoted", line\nbreak',
      version: '+1',
      model: '@SUM(A1)',
    })
    const { text } = await read({ format: 'csv' })
    const [header = '', ...rest] = text.split('\r\n')
    expect(header.split(',')).toEqual(Object.keys(Run.shape))
    const body = rest.join('\r\n')
    expect(body).toContain(`"'=HYPERLINK(""http://evil"")"`)
    expect(body).toContain(`'@SUM(A1)`)
    expect(body).toContain(`'+1`)
    expect(body).toContain('"a ""quoted"", line\nbreak"')
    expect(body).toContain(',false,')
  })

  test('without rows is a header as CSV, and empty as JSON Lines', async () => {
    expect((await read({ format: 'csv' })).text).toMatch(/^id,source,[a-z_,]+\r\n$/)
    expect((await read({ format: 'jsonl', provider: ['nobody'] })).text).toBe('')
  })

  test('is streamed, accepts filters, and never returns a run twice while runs are added', async () => {
    for (let n = 0; n < 3; n += 1) await many(500, (index) => ({ provider: index % 2 ? 'a' : 'b' }))
    const download = await log.runs.export(log.ctx(), { format: 'jsonl', provider: ['a'] })
    const ids: number[] = []
    let pieces = 0
    for await (const chunk of await download.open()) {
      pieces += 1
      ids.push(
        ...String(chunk)
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).id),
      )
      await log.add({ provider: 'a' })
    }
    expect(pieces).toBeGreaterThan(1)
    expect(ids).toHaveLength(750)
    expect(new Set(ids).size).toBe(750)
    expect(log.recorded[0]?.summary).toBe('Exported the run log as JSON Lines, filtered by provider')
  })
})
