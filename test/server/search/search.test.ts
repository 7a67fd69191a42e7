import { describe, expect, it } from 'vitest'
import { fuzzyScore } from '../../../contract/formats/fuzzy.ts'
import type { SearchResult } from '../../../contract/system/search.ts'
import { server, setUpService } from '../file-service.ts'
import { act, connectApp, makePrompt } from '../prompts/prompts-support.ts'

const find = async (q: string, options: { readonly token?: string; readonly limit?: number } = {}) => {
  const { token, limit } = options
  const query = `q=${encodeURIComponent(q)}${limit === undefined ? '' : `&limit=${limit}`}`
  const { status, body, text } = await server.call(
    `GET /api/search?${query}`,
    token === undefined ? {} : { token },
  )
  expect(status, text).toBe(200)
  return body.data as SearchResult[]
}
const labels = async (q: string): Promise<string[]> =>
  (await find(q)).map(({ kind, label }) => `${kind} ${label}`)

setUpService(async () => {
  const { id } = await makePrompt(server, {
    key: 'billing/greet',
    name: 'Äußerung',
    content: 'x',
    env: 'prod',
  })
  await act(server, id, 'promote', { env: 'dev' })
  await makePrompt(server, { key: 'billing/regret_note', content: 'x', env: 'dev', draft: true })
  await makePrompt(server, { key: 'big/leaflet/grid', content: 'x', env: 'dev' })
  await server.call('POST /api/workspaces', { body: { name: 'Greeting cards' } })
  await server.call('POST /api/workspaces', { body: { name: 'Übersetzung ÉTÉ' } })
  await server.call('POST /api/agents', {
    body: { key: 'greeter', content: 'x', provider: 'mock', model: 'm' },
  })
  await server.call('POST /api/workflows', {
    body: { key: 'greet-all', steps: [{ name: 'a', type: 'render', template: 'x' }] },
  })
  await server.call('POST /api/users', {
    body: { username: 'greta', password: 'a long pass phrase', role: 'viewer' },
  })
  await server.call('POST /api/tokens', { body: { name: 'greet app', role: 'viewer' } })
})

describe('the search', () => {
  it('sorts equal matches by their id', async () => {
    const workspace = (await server.call('POST /api/workspaces', { body: { name: 'Twins' } })).body.data.id
    const ids: string[] = []
    for (const workspace_id of ['default', workspace]) {
      const body = { key: 'twin', content: 'x', provider: 'mock', model: 'm', workspace_id }
      ids.push((await server.call('POST /api/agents', { body })).body.data.id)
    }
    // PostgreSQL stores the changed row after the other one.
    await server.call(`PATCH /api/agents/${ids[0]}`, { body: { model: 'n' } })
    const found = (await find('twin')).filter(({ kind }) => kind === 'agent')
    expect(found.map(({ id }) => id)).toEqual(ids)
  })

  it('finds every kind, the best match first', async () => {
    const app = await connectApp(server, 'client=node-sdk&app=greet-service&namespace=prod')
    const found = await labels('greet')
    expect(found.toSorted()).toEqual([
      'agent greeter',
      'client greet-service',
      'prompt billing/greet',
      'token greet app',
      'workflow greet-all',
      'workspace Greeting cards',
    ])
    expect(found.at(-1)).toBe('prompt billing/greet')
    app.socket.close()
  })

  it.each([
    ['bgreet', 'prompt billing/greet'],
    ['greet bill', 'prompt billing/greet'],
    ['GRETA', 'user greta'],
    ['regret', 'prompt billing/regret_note'],
    ['äuß', 'prompt billing/greet'],
    ['grid', 'prompt big/leaflet/grid'],
    ['über', 'workspace Übersetzung ÉTÉ'],
    ['été', 'workspace Übersetzung ÉTÉ'],
  ])('%s finds %s first', async (q, expected) => {
    expect((await labels(q))[0]).toBe(expected)
  })

  it('finds letters in order', async () => {
    expect(await labels('blgr')).toContain('prompt billing/greet')
  })

  it('finds other scripts and emoji among many items', async () => {
    const keys = ['greeting/日本語の挨拶', 'Привет/всем-новым-клиентам', 'campaign/launch-🚀']
    const others = Array.from({ length: 70 }, (_, n) => `k${n}`)
    const items = [...others, ...keys].map((key) => ({ key, content: 'x' }))
    const files = [{ name: 'many.json', content: JSON.stringify(items) }]
    await server.call('POST /api/prompts/import', { body: { files } })
    const found = await Promise.all(['挨拶', 'привет', '🚀'].map(labels))
    expect(found).toEqual(keys.map((key) => [`prompt ${key}`]))
  })

  it('treats wildcards as text and finds nothing without a match', async () => {
    for (const q of ['%', '_zzz', 'b%t', 'nothing-like-this']) expect(await find(q)).toEqual([])
    expect((await labels('regret_')).at(0)).toBe('prompt billing/regret_note')
  })

  it('has one result per key, with its environments in order and their drafts', async () => {
    const [prompt] = await find('billing/greet')
    expect(prompt?.detail).toBe('Äußerung')
    expect(prompt?.envs?.map(({ env, has_draft: hasDraft }) => `${env} ${hasDraft}`)).toEqual([
      'dev false',
      'prod false',
    ])
    expect(prompt?.id).toBe(prompt?.envs?.[0]?.id)
    const [draft] = await find('regret')
    expect(draft?.envs?.map(({ has_draft: hasDraft }) => hasDraft)).toEqual([true])
  })

  it('leaves out the kinds that the caller may not list', async () => {
    const { token } = await server.signedIn('viewer')
    const kinds = (await find('gre', { token })).map(({ kind }) => kind)
    expect(kinds).not.toContain('user')
    expect(kinds).not.toContain('token')
    expect(kinds).toContain('agent')
  })

  it('limits the results of each kind, and refuses bad parameters', async () => {
    expect((await find('b', { limit: 1 })).filter(({ kind }) => kind === 'prompt')).toHaveLength(1)
    for (const query of [
      '',
      'q=',
      'q=%20',
      'q=x&limit=0',
      'q=x&limit=21',
      'q=x&kind=prompt',
      `q=${'x'.repeat(201)}`,
    ])
      expect((await server.call(`GET /api/search?${query}`)).status).toBe(422)
  })
})

describe('the score of a match', () => {
  it('is highest for the whole text, then start, start of a word, inside, letters in order', () => {
    const texts = ['greet', 'greeting', 'billing/greet', 'regreet', 'general rewards']
    const scores = texts.map((text) => fuzzyScore('greet', text) ?? -1)
    expect(scores.slice(0, 4)).toEqual(scores.slice(0, 4).toSorted((a, b) => b - a))
    expect(scores.at(4)).toBe(-1)
    expect(fuzzyScore('bg', 'billing/greet')).toBeNull()
    expect(fuzzyScore('blgr', 'billing/greet')).toBeLessThan(scores[3] ?? 0)
    expect(fuzzyScore(' ', 'x')).toBeNull()
  })
})
