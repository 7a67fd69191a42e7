import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Run } from '../../../contract/runs/run.ts'
import { RunStatsQuery } from '../../../contract/runs/run-stats.ts'
import { ExportRunsQuery } from '../../../contract/runs/runs.ts'
import { createNameDictionary } from '../../../server/features/runs/store/names.store.ts'
import { minimal, openRunLog, type RunLog } from './runs-support.ts'

/** Each run has five names of its own: together more than the 20,000 that are cached. */
const distinct = 4_100
const perBatch = 500
const numberOf = (index: number) => String(index).padStart(5, '0')
const refKeyOf = (index: number) => `orders/confirm-${numberOf(index)}`
const ownNames = (index: number) => ({
  ref_key: refKeyOf(index),
  version: `v-${numberOf(index)}`,
  app: `app-${numberOf(index)}`,
  end_user: `user-${numberOf(index)}`,
  error_type: `type-${numberOf(index)}`,
})
/** Alternating values, so that a row with another row's name is detected. */
const providerOf = (index: number) => `provider-${index % 3}`
const modelOf = (index: number) => `model-${index % 7}`

let log: RunLog
let firstId: number

beforeAll(async () => {
  log = await openRunLog()
  for (let from = 0; from < distinct; from += perBatch) {
    const reports = Array.from({ length: Math.min(perBatch, distinct - from) }, (_, index) => ({
      ...minimal,
      ...ownNames(from + index),
      provider: providerOf(from + index),
      model: modelOf(from + index),
    }))
    await log.runs.report(log.ctx(), reports)
  }
  const [oldest] = (await log.runs.list(log.ctx(), { limit: 1, sort: 'created_at' })).data
  firstId = oldest?.id ?? Number.NaN
})
afterAll(() => log.close())

/** Returns the rows with other names than reported. */
const wrongRows = (rows: readonly Run[]) =>
  rows.filter((run) => {
    const number = run.id - firstId
    const expected = {
      ...ownNames(number),
      provider: providerOf(number),
      model: modelOf(number),
      source: 'sdk',
      user: 'edda',
      workspace_id: 'default',
    }
    return Object.entries(expected).some(([field, value]) => run[field as keyof Run] !== value)
  })

describe('with more names than are cached', () => {
  test('every page of a list shows the reported names', async () => {
    let cursor: string | undefined
    let count = 0
    do {
      const page = await log.runs.list(log.ctx(), { limit: 200, cursor })
      expect(wrongRows(page.data)).toEqual([])
      count += page.data.length
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(count).toBe(distinct)
  })

  test('concurrently read pages show their own names', async () => {
    const offsets = Array.from({ length: 20 }, (_, index) => index * 200)
    const sorts = ['created_at', '-created_at'] as const
    const pages = await Promise.all(
      sorts.flatMap((sort) =>
        offsets.map((offset) => log.runs.list(log.ctx(), { limit: 200, offset, sort })),
      ),
    )
    expect(pages.flatMap((page) => wrongRows(page.data))).toEqual([])
  })

  test.each(['csv', 'jsonl'] as const)('an export as %s names every row', async (format) => {
    const download = await log.runs.export(log.ctx(), ExportRunsQuery.parse({ format }))
    const texts: string[] = []
    for await (const chunk of await download.open()) texts.push(String(chunk))
    const lines = texts
      .join('')
      .split(/\r?\n/)
      .filter((line) => line !== '')
    const rows = format === 'csv' ? lines.slice(1) : lines
    expect(rows).toHaveLength(distinct)
    const numbers = rows.map((line) => Number(/orders\/confirm-(\d{5})/.exec(line)?.[1]))
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: distinct }, (_, index) => index)))
    const isWrong = (line: string, row: number) =>
      Object.values(ownNames(numbers[row] ?? 0)).some((name) => !line.includes(name))
    expect(rows.filter(isWrong)).toEqual([])
    expect(rows.filter((line) => !/provider-\d/.test(line) || !/model-\d/.test(line))).toEqual([])
    expect(rows.filter((line) => !line.includes('edda') || !line.includes('sdk'))).toEqual([])
  })

  test('the statistics contain the right names', async () => {
    const stats = await log.runs.stats(log.ctx(), RunStatsQuery.parse({}))
    expect(stats.total).toBe(distinct)
    expect(stats.by_provider.map((row) => row.provider).toSorted()).toEqual([
      'provider-0',
      'provider-1',
      'provider-2',
    ])
    expect(stats.by_model).toHaveLength(7)
    expect(stats.by_ref_key.every((row) => /^orders\/confirm-\d{5}$/.test(row.ref_key ?? ''))).toBe(true)
  })

  test('a search finds a run by its key and names it', async () => {
    for (const index of [0, 1, 2345, distinct - 1]) {
      const page = await log.runs.list(log.ctx(), { limit: 5, q: refKeyOf(index) })
      expect(page.data.map((run) => run.id)).toEqual([firstId + index])
      expect(wrongRows(page.data)).toEqual([])
    }
  })

  test('a search with too many matching names returns rows with the right names', async () => {
    const page = await log.runs.list(log.ctx(), { limit: 200, q: 'confirm' })
    expect(page.data).toHaveLength(200)
    expect(wrongRows(page.data)).toEqual([])
  })

  test('the first run can be read by its id', async () => {
    expect(wrongRows([await log.runs.get(log.ctx(), firstId)])).toEqual([])
  })
})

test('a look-up returns all requested ids, regardless of evictions and later look-ups', async () => {
  const names = createNameDictionary({ hashEndUser: (text) => `#${text}` })
  const rows = await log.db.read.selectFrom('names').select(['id', 'name']).orderBy('id').execute()
  const ids = rows.map((row) => row.id)
  await names.loadTexts(log.db.read, ids.slice(0, 300))
  // From the cache.
  const early = await names.loadTexts(log.db.read, ids.slice(0, 300))
  await names.loadTexts(log.db.read, ids.slice(300))
  names.clearCache()
  for (const { id, name } of rows.slice(0, 300)) expect(early(id)).toBe(name)
})
