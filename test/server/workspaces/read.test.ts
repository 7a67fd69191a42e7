import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { as, server, setUpService, tokens, watcher } from '../service-with-roles.ts'
import { addWorkspaces } from './workspaces-support.ts'

setUpService()
const names = ['Team Blue', 'Team Blue', 'team  blue!', 'Green', 'Default', 'Grey', '🦊', 'Once']
const longNames = ['l'.repeat(100), 'l'.repeat(100)]
const sameNames = Array.from({ length: 10 }, () => 'Storm')
beforeAll(() =>
  addWorkspaces([
    { name: 'Red', slug: 'crimson' },
    ...[...names, ...sameNames, ...longNames].map((name) => ({ name })),
  ]),
)

describe('reading', () => {
  it('accepts an id or a slug', async () => {
    const bySlug = await server.call('GET /api/workspaces/crimson', { token: tokens['viewer'] ?? '' })
    const byId = await server.call(`GET /api/workspaces/${bySlug.body.data.id}`)
    expect(byId.body).toEqual(bySlug.body)
    expect(byId.body.data.name).toBe('Red')
  })

  it.each<Scenario>([
    {
      name: 'returns the built-in one',
      call: 'GET /api/workspaces/default',
      token: as('viewer'),
      status: 200,
      reply: { data: { id: 'default', slug: 'default' } },
    },
    {
      name: 'returns 404 for an unknown one',
      call: 'GET /api/workspaces/nope',
      status: 404,
      reply: { code: 'not_found' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it.each([
    ['the beginning of a name', 'q=tea', ['Team Blue', 'Team Blue', 'team  blue!']],
    ['the beginning of a later word, in another case', 'q=BLU', ['Team Blue', 'Team Blue', 'team  blue!']],
    ['a slug', 'q=crim', ['Red']],
    ['two words', 'q=blue%20team', ['Team Blue', 'Team Blue', 'team  blue!']],
    ['a letter with an accent', 'q=%C3%A9qu', ['Équipe']],
    ['nothing', 'q=zzz', []],
  ])('finds %s', async (_, query, expected) => {
    if (query.includes('%C3')) await server.call('POST /api/workspaces', { body: { name: 'Équipe' } })
    const reply = await server.call(`GET /api/workspaces?${query}`)
    expect(reply.body.data.map((row: { name: string }) => row.name).toSorted()).toEqual(expected)
    expect(reply.body.total).toBe(expected.length)
  })

  it.each(['name', '-name', 'created_at', '-created_at'])(
    'pages by cursor in the order of %s',
    async (sort) => {
      const slugs = (body: { data: { slug: string }[] }) => body.data.map((row) => row.slug)
      const all = slugs((await server.call(`GET /api/workspaces?sort=${sort}&limit=200`)).body)
      const listed: string[] = []
      let cursor: string | null = ''
      for (let page = 0; cursor !== null && page < 20; page += 1) {
        const path: string = `GET /api/workspaces?sort=${sort}&limit=4${cursor && `&cursor=${cursor}`}`
        const { body } = await server.call(path)
        listed.push(...slugs(body))
        cursor = body.next_cursor
      }
      expect(listed).toEqual(all)
      expect(new Set(listed).size).toBe(listed.length)
    },
  )

  it('sorts names without regard to case', async () => {
    const reply = await server.call('GET /api/workspaces?limit=200')
    const names = reply.body.data.map((row: { name: string }) => row.name.normalize('NFKC').toLowerCase())
    expect(names).toEqual([...names].sort())
  })

  it('pages through names of any length by cursor', async () => {
    for (let i = 0; i < 2; i += 1)
      await server.call('POST /api/workspaces', { body: { name: '渡'.repeat(128) } })
    const first = await server.call('GET /api/workspaces?sort=-name&limit=1&q=%E6%B8%A1')
    expect(first.body.next_cursor).toBeTruthy()
    const second = await server.call(
      `GET /api/workspaces?sort=-name&limit=1&q=%E6%B8%A1&cursor=${first.body.next_cursor}`,
    )
    expect(second.status).toBe(200)
    expect(second.body.data[0].id).not.toBe(first.body.data[0].id)
  })
})
