import { expect, test } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { minimal } from './runs-support.ts'

setUpService()

async function createToken(body: object): Promise<string> {
  const reply = await server.call('POST /api/tokens', {
    body: { name: 'shop backend', role: 'viewer', ...body },
  })
  expect(reply.status).toBe(201)
  return reply.body.data.token
}
const report = async (body: object, token?: string) => {
  const reply = await server.call('POST /api/runs', {
    body: { ...minimal, ...body },
    ...(token && { token }),
  })
  return reply.status === 201 ? reply.body.data : reply.body
}

test('the environment is that of the report, else of a token limited to one, else unknown', async () => {
  const one = await createToken({ workspace: 'default', namespaces: ['test'] })
  const two = await createToken({ workspace: 'default', namespaces: ['test', 'prod'] })
  expect(await report({}, one)).toMatchObject({ env: 'test', token: 'shop backend' })
  expect(await report({ env: 'dev' })).toMatchObject({ env: 'dev' })
  expect(await report({}, two)).toMatchObject({ env: null })
  expect(await report({})).toMatchObject({ env: null, token: 'service-token' })
  expect(await report({ env: 'staging' })).toMatchObject({
    code: 'request.invalid',
    errors: [{ path: 'env' }],
  })
})

test('a token limited to environments reports no run of another one', async () => {
  const two = await createToken({ namespaces: ['test', 'prod'] })
  expect(await report({ env: 'prod' }, two)).toMatchObject({ env: 'prod' })
  expect(await report({ env: 'dev' }, two)).toMatchObject({
    code: 'auth.forbidden',
    detail: 'This token is for test, prod only.',
  })
})

test('an end user is hashed on request, and found by name in both forms', async () => {
  const plain = await report({ end_user: 'ann@example.com' })
  const hashed = await report({ end_user: 'ann@example.com', hash_end_user: true })
  const other = await report({ end_user: 'bob@example.com', hash_end_user: true })
  expect(plain.end_user).toBe('ann@example.com')
  expect(hashed.end_user).toMatch(/^#[\w-]{22}$/)
  expect(other.end_user).not.toBe(hashed.end_user)
  const idsOf = async (query: string) =>
    (await server.call(`GET /api/runs?${query}`)).body.data.map(({ id }: { id: number }) => id)
  expect(await idsOf('end_user=ann%40example.com')).toEqual([hashed.id, plain.id])
  expect(await idsOf(`end_user=${encodeURIComponent(hashed.end_user)}`)).toEqual([hashed.id])
})

test('a run of the service has the environment of its prompt, and what the caller states about it', async () => {
  const prompt = await server.call('POST /api/prompts', {
    body: { key: 'greet', env: 'test', name: 'Greet', content: 'Hi {{who}}' },
  })
  const context = { session_id: 'c-1', end_user: 'ann', tags: ['eu', 'beta'], metadata: { plan: 'pro' } }
  const run = await server.call('POST /api/playground/run', {
    body: { id: prompt.body.data.id, provider: 'mock', variables: { who: 'you' }, ...context },
  })
  expect(run.body.run).toMatchObject({ ...context, env: 'test', tags: ['beta', 'eu'] })
  const text = await server.call('POST /api/playground/run', { body: { content: 'Hi', provider: 'mock' } })
  expect(text.body.run).toMatchObject({ env: null, session_id: null, tags: null, metadata: null })
  const agent = await server.call('POST /api/agents', {
    body: { key: 'greeter', name: 'Greeter', prompt_key: 'greet', env: 'test', provider: 'mock' },
  })
  const answer = await server.call(`POST /api/agents/${agent.body.data.id}/run`, {
    body: { variables: { who: 'you' }, session_id: 'c-1' },
  })
  expect(answer.body.run).toMatchObject({ env: 'test', session_id: 'c-1', source: 'agent' })
})

test('tags and metadata are bounded', async () => {
  const pathOf = async (body: object) => (await report(body)).errors?.[0]?.path
  expect(await pathOf({ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) })).toBe('tags')
  expect(await pathOf({ tags: ['a,b'] })).toBe('tags.0')
  expect(await pathOf({ metadata: { text: 'x'.repeat(4096) } })).toBe('metadata')
  expect(await pathOf({ metadata: { ['x'.repeat(65)]: 1 } })).toBe(`metadata.${'x'.repeat(65)}`)
  const run = await server.call('POST /api/playground/run', {
    body: { content: 'Hi', provider: 'mock', metadata: { text: 'x'.repeat(4096) } },
  })
  expect(run.body).toMatchObject({ code: 'request.invalid', errors: [{ path: 'metadata' }] })
})

test('metadata and parameters keep every name', async () => {
  const text = '{"__proto__":{"a":1},"constructor":"b","nested":{"__proto__":2}}'
  const { id } = await report({ metadata: JSON.parse(text), params: JSON.parse(text) })
  const { text: detail } = await server.call(`GET /api/runs/${id}`)
  for (const field of ['metadata', 'params']) expect(detail).toContain(`"${field}":${text}`)
})

test('metadata with text that PostgreSQL cannot decode does not prevent a search in metadata', async () => {
  const hostile = { nul: 'a\u0000\u0000b', '\ud800': 'c\udfff', path: 'C:\\u0000', plan: 'team\\' }
  expect((await report({ metadata: hostile })).metadata).toEqual(hostile)
  const stored = await report({ metadata: { plan: 'team' } })
  for (const [value, ids] of [
    ['plan:team', [stored.id]],
    ['path:C:\\u0000', [stored.id - 1]],
    ['plan:team\\', [stored.id - 1]],
  ] as const) {
    const found = await server.call(`GET /api/runs?metadata=${encodeURIComponent(value)}`)
    expect(found.body.data?.map(({ id }: { id: number }) => id)).toEqual(ids)
  }
})

test.each([1e21, 1e-7, 12345678901234567000, 4611686018427388000, 0.30000000000000004, -1.5])(
  'metadata %d are found by the text of the number in JSON only',
  async (size) => {
    const { id } = await report({ metadata: { size } })
    const found = async (text: string): Promise<number[]> => {
      const { body } = await server.call(`GET /api/runs?metadata=${encodeURIComponent(`size:${text}`)}`)
      return body.data.map((run: { id: number }) => run.id)
    }
    expect(await found(String(size))).toEqual([id])
    expect(await found(`${size}0`)).toEqual([])
    expect(await found(size.toExponential(20))).toEqual([])
  },
)
