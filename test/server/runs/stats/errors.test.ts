import { describe, expect, test } from 'vitest'
import { RunErrorsQuery } from '../../../../contract/runs/run-errors.ts'
import { normalizeMessage } from '../../../../server/features/runs/query/error-message.ts'
import { at, day, hour, minute } from '../runs-support.ts'
import { log, setUpLog } from './stats-support.ts'

setUpLog()

describe('errors', () => {
  const errors = (query: Record<string, unknown> = {}) =>
    log.runs.errors(log.ctx(), RunErrorsQuery.parse(query))
  const failed = (error: string | null, offset: number, more: object = {}) =>
    log.add({ status: 'error', error, created_at: at(offset), ...more })

  test('are grouped over the whole period by normalized message', async () => {
    const version = { ref_key: 'greet', version: 'v1', env: 'prod', app: 'shop' } as const
    await failed('Timeout after 30000 ms for "gpt-4o"', -40 * day, version)
    await failed('Timeout after 12.5 ms for "llama"', -3 * day, {
      ...version,
      version: 'v2',
      model: 'llama3',
    })
    const newest = await failed('Timeout after 7 ms for "x"', -minute, { ...version, app: 'desk' })
    await failed(null, -day)
    await log.add({ error: 'ignored', created_at: at(-day) })
    const found = await errors()
    expect(found).toMatchObject({ total: 4, group_count: 2 })
    expect(found.groups).toEqual([
      {
        message: 'Timeout after # ms for "…"',
        count: 3,
        first_seen: at(-40 * day),
        last_seen: at(-minute),
        versions: [
          { ref_key: 'greet', version: 'v1', env: 'prod', count: 2 },
          { ref_key: 'greet', version: 'v2', env: 'prod', count: 1 },
        ],
        apps: [
          { app: 'shop', count: 2 },
          { app: 'desk', count: 1 },
        ],
        models: [
          { model: 'gpt-4o', count: 2 },
          { model: 'llama3', count: 1 },
        ],
        example: { id: newest.id, error: 'Timeout after 7 ms for "x"' },
      },
      {
        message: null,
        count: 1,
        first_seen: at(-day),
        last_seen: at(-day),
        versions: [],
        apps: [],
        models: [{ model: 'gpt-4o', count: 1 }],
        example: { id: newest.id + 1, error: null },
      },
    ])
  })
  test('are limited to the period, the filters and a number of groups', async () => {
    for (const app of ['shop', 'desk']) await failed(`of ${app}`, -hour, { app })
    await failed('old', -9 * day, { app: 'shop' })
    expect((await errors({ from: at(-day), app: 'shop' })).groups.map(({ message }) => message)).toEqual([
      'of shop',
    ])
    expect(await errors({ limit: '1' })).toMatchObject({ total: 3, group_count: 3, groups: [{}] })
    expect(await errors({ app: 'nobody' })).toEqual({ total: 0, group_count: 0, groups: [] })
  })
  test('count names in a fixed order', async () => {
    for (const model of ['b', 'c', 'a', 'c']) await failed('x', -hour, { model, app: model })
    const [group] = (await errors()).groups
    expect(group?.models.map(({ model }) => model)).toEqual(['c', 'a', 'b'])
    expect(group?.apps.map(({ app }) => app)).toEqual(['c', 'a', 'b'])
  })
  test.each([
    ['Rate limit: 429, retry in 1,5 s', 'Rate limit: #, retry in # s'],
    ['id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed', 'id # failed'],
    ['request req_01HZX3 not found', 'request # not found'],
    [`model 'a b' can't read "x" or \`y\``, `model "…" can't read "…" or "…"`],
    ['overloaded', 'overloaded'],
  ])('"%s" is normalized', (message, expected) => {
    expect(normalizeMessage(message)).toBe(expected)
  })
})
