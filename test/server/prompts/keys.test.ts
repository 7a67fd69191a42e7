import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { act, connectApp, edit, makePrompt } from './prompts-support.ts'

type Cell = {
  readonly id: string
  readonly env: string
  readonly version: string | null
  readonly content_hash: string | null
  readonly behind: boolean
  readonly has_draft: boolean
  readonly client_count: number
}
type Row = { readonly key: string; readonly workspace_id: string; readonly envs: readonly Cell[] }

let devId: string
let prodId: string

const list = async (query = ''): Promise<Row[]> => {
  const { status, body, text } = await server.call(`GET /api/prompts/keys?${query}`)
  expect(status, text).toBe(200)
  return body.data
}
const keys = async (query = ''): Promise<string[]> => (await list(query)).map(({ key }) => key)
const rowOf = async (key: string): Promise<Row | undefined> => (await list(`key=${key}`))[0]
/** Returns the cells of a row as `env version`, with `behind` and `draft` where they apply. */
const cellsOf = (row: Row | undefined): string[] =>
  row?.envs.map(({ env, version, behind, has_draft: hasDraft }) =>
    [env, version ?? '-', ...(behind ? ['behind'] : []), ...(hasDraft ? ['draft'] : [])].join(' '),
  ) ?? []
const distinctHashes = (row: Row | undefined): number =>
  new Set(row?.envs.map(({ content_hash: hash }) => hash)).size

setUpService(async () => {
  await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
  devId = (await makePrompt(server, { key: 'mail/greet', content: 'One', env: 'dev', tags: 'mail' })).id
  await act(server, devId, 'promote', { env: 'test' })
  prodId = (await act(server, devId, 'promote', { env: 'prod' })).id
  await makePrompt(server, { key: 'mail/greet', content: 'Other', env: 'dev', workspace_id: 'blue' })
  await makePrompt(server, { key: 'only/draft', content: 'Draft', env: 'dev', draft: true })
  await makePrompt(server, { key: 'top', content: 'About zebras', env: 'prod' })
})

describe('the list of keys', () => {
  it('has one row per workspace and key, with every environment in order', async () => {
    expect(
      (await list()).map(({ key, workspace_id: id }) => `${key} ${id === 'default'}`).toSorted(),
    ).toEqual(['mail/greet false', 'mail/greet true', 'only/draft true', 'top true'])
    const { body } = await server.call('GET /api/prompts/keys')
    expect(body.total).toBe(4)
    const row = (await list('key=mail/greet&workspace=default'))[0]
    expect(cellsOf(row)).toEqual(['dev v1', 'test v1', 'prod v1'])
    expect(distinctHashes(row)).toBe(1)
    expect(cellsOf(await rowOf('only/draft'))).toEqual(['dev - draft'])
    expect((await rowOf('only/draft'))?.envs[0]?.content_hash).toBeNull()
  })

  it.each([
    ['env=test', ['mail/greet']],
    ['env=prod&workspace=default', ['mail/greet', 'top']],
    ['folder=mail&workspace=blue', ['mail/greet']],
    ['folder=/', ['top']],
    ['tag=mail', ['mail/greet']],
    ['draft=true', ['only/draft']],
    ['q=zebr', ['top']],
    ['key=top', ['top']],
    ['workspace=nowhere', []],
    ['sort=-key&limit=1', ['top']],
    ['sort=-updated_at&limit=1', ['top']],
    ['sort=updated_at&limit=1', ['mail/greet']],
  ])('%s', async (query, expected) => {
    expect(await keys(query)).toEqual(expected)
  })

  it('lists every environment of a key that one environment matches', async () => {
    expect(cellsOf((await list('env=test'))[0])).toEqual(['dev v1', 'test v1', 'prod v1'])
  })

  it.each(['env=moon', 'sort=name', 'include=deleted', 'colour=red', 'limit=0', 'cursor=x'])(
    'refuses %s',
    async (query) => {
      expect((await server.call(`GET /api/prompts/keys?${query}`)).status).toBe(422)
    },
  )

  it.each(['key', '-key', 'updated_at', '-updated_at'])(
    'pages by %s without a gap or a repetition',
    async (sort) => {
      const nameOf = ({ key, workspace_id: id }: Row) => `${id} ${key}`
      const all = (await list(`sort=${sort}`)).map(nameOf)
      const paged: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await server.call(
          `GET /api/prompts/keys?sort=${sort}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        paged.push(...body.data.map(nameOf))
        expect(body.total).toBe(4)
        cursor = body.next_cursor
      }
      expect(paged).toEqual(all)
      expect(new Set(paged).size).toBe(4)
    },
  )

  it('counts the clients of each environment', async () => {
    const app = await connectApp(server, 'client=node-sdk&app=one&namespace=prod')
    app.socket.send(JSON.stringify({ type: 'subscribe', keys: ['top'] }))
    await expect.poll(async () => (await rowOf('top'))?.envs[0]?.client_count).toBe(1)
    app.socket.close()
  })

  it('marks the environments behind by when their content was first published', async () => {
    const greet = async () => (await list('key=mail/greet&workspace=default'))[0]
    await edit(server, devId, { content: 'Two' })
    expect(cellsOf(await greet())).toEqual(['dev v1 draft', 'test v1', 'prod v1'])
    await act(server, devId, 'publish')
    expect(cellsOf(await greet())).toEqual(['dev v2', 'test v1 behind', 'prod v1 behind'])
    await act(server, devId, 'promote', { env: 'prod' })
    expect(cellsOf(await greet())).toEqual(['dev v2', 'test v1 behind', 'prod v2'])
    expect(distinctHashes(await greet())).toBe(2)
    // A rollback publishes again what was first published earlier.
    await act(server, prodId, 'rollback', { version: 'v1' })
    expect(cellsOf(await greet())).toEqual(['dev v2', 'test v1 behind', 'prod v3 behind'])
    // The model is content too.
    await edit(server, prodId, { content: 'Two', model: 'other' })
    await act(server, prodId, 'publish')
    expect(cellsOf(await greet())).toEqual(['dev v2 behind', 'test v1 behind', 'prod v4'])
  })

  it('leaves out deleted environments, and the key with its last one', async () => {
    const { id } = await makePrompt(server, { key: 'gone', content: 'x', env: 'dev' })
    const test = await act(server, id, 'promote', { env: 'test' })
    await server.call(`DELETE /api/prompts/${id}`)
    expect(cellsOf(await rowOf('gone'))).toEqual(['test v1'])
    await server.call(`DELETE /api/prompts/${test.id}`)
    expect(await rowOf('gone')).toBeUndefined()
  })
})

describe('the comparison of two prompts', () => {
  it('compares versions of two environments, and names an equal version of the first', async () => {
    const dev = (await makePrompt(server, { key: 'cmp', content: 'A\nB', env: 'dev' })).id
    const test = (await act(server, dev, 'promote', { env: 'test' })).id
    await edit(server, dev, { content: 'A\nC' })
    await act(server, dev, 'publish')
    const diff = async (id: string, query: string) => {
      const { status, body, text } = await server.call(`GET /api/prompts/${id}/diff?${query}`)
      expect(status, text).toBe(200)
      return body.data
    }
    const across = await diff(test, `from=served&to=served&to_id=${dev}`)
    expect(across).toMatchObject({ from: 'v1', to: 'v2', identical: false, same_as: null })
    expect(across).toMatchObject({ added_lines: 1, removed_lines: 1 })
    await act(server, dev, 'rollback', { version: 'v1' })
    expect(await diff(test, `from=served&to=served&to_id=${dev}`)).toMatchObject({
      identical: true,
      same_as: 'v1',
    })
    // Within one prompt, the compared version itself is not named.
    expect(await diff(dev, 'from=v2&to=v3')).toMatchObject({ same_as: 'v1' })
    expect(await diff(dev, 'from=v1&to=v2')).toMatchObject({ same_as: null })
  })

  it('refuses a prompt that does not exist and a version that the other prompt does not have', async () => {
    expect((await server.call(`GET /api/prompts/${devId}/diff?to_id=nope&to=v1&from=v1`)).status).toBe(404)
    const reply = await server.call(`GET /api/prompts/${devId}/diff?to_id=${prodId}&to=v99&from=v1`)
    expect(reply.status).toBe(422)
    expect(reply.body.errors).toEqual([{ path: 'query.to', message: 'Version v99 not found' }])
  })
})

describe('the count of tokens', () => {
  it('counts each text with the vocabulary of the service', async () => {
    const texts = ['', 'Hello world', 'a '.repeat(50_000), '<|endoftext|>']
    const { status, body } = await server.call('POST /api/prompts/count-tokens', { body: { texts } })
    expect(status).toBe(200)
    expect(body.data.counts.slice(0, 2)).toEqual([0, 2])
    expect(body.data.counts[2]).toBeGreaterThan(45_000)
    expect(body.data.counts[3]).toBeGreaterThan(1)
  })
  it.each([
    { texts: [] },
    { texts: ['x'.repeat(262_145)] },
    { texts: ['x'.repeat(200_000), 'x'.repeat(200_000)] },
    {},
  ])('refuses too much or nothing (%#)', async (body) => {
    expect((await server.call('POST /api/prompts/count-tokens', { body })).status).toBe(422)
  })
})
