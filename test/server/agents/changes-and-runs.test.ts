import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { make, streamed } from '../workflows/workflow-support.ts'
import { as, changedFrames, run, server, setUpService, tokens, wrong } from './agents-support.ts'

const ids: Record<string, string> = {}

setUpService()

describe('changing', () => {
  beforeAll(async () => {
    ids['a'] = (
      await make(server, '/api/agents', {
        key: 'a',
        content: 'one',
        messages: [{ role: 'system', content: 'Be brief' }],
      })
    ).id
  })
  const path = (rest = '') => `/api/agents/${ids['a']}${rest}`
  const change = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: () => `PATCH ${path()}`,
    token: as('editor'),
    body,
    ...rest,
  })
  const changed = { status: 200, audit: ['editor update agent a'], frames: changedFrames }
  it.each<Scenario>([
    change(
      'name and description apply without a new version',
      { name: 'An agent', description: 'd' },
      { ...changed, reply: { data: { name: 'An agent', version: 'v1', etag: '"2"' } } },
    ),
    change(
      'an empty change leaves no entry and no version',
      { name: 'An agent', content: 'one' },
      { status: 200, reply: { data: { version: 'v1', etag: '"2"' } } },
    ),
    change(
      'a changed text creates the next version',
      { content: 'two', message: 'better' },
      { ...changed, reply: { data: { content: 'two', version: 'v2' } } },
    ),
    change(
      'a prompt replaces the text',
      { prompt_key: 'answer' },
      { ...changed, reply: { data: { content: null, prompt_key: 'answer', version: 'v3' } } },
    ),
    change(
      'null clears a field',
      { messages: null, description: null },
      { ...changed, reply: { data: { messages: [], description: '', version: 'v4' } } },
    ),
    change(
      'an outdated If-Match',
      { name: 'x' },
      {
        status: 412,
        headers: { 'if-match': '"1"' },
        reply: { code: 'precondition.failed' },
        fields: ['If-Match'],
      },
    ),
    change('the key', { key: 'b' }, wrong('key')),
    change('without text and prompt', { prompt_key: null }, wrong('content')),
    change(
      'to a workspace where the key is unused',
      { workspace_id: 'blue' },
      { ...changed, reply: { data: { version: 'v4' } } },
    ),
    change('as a viewer', { name: 'x' }, { status: 403, token: as('viewer') }),
  ])('$name', run)

  it('lists the versions unchanged, newest first', async () => {
    const list = await server.call(`GET ${path('/versions')}`)
    expect(
      list.body.data.map((version: Record<string, unknown>) => [
        version['version'],
        version['kind'],
        version['content'],
        version['message'],
        version['current'],
      ]),
    ).toEqual([
      ['v4', 'update', null, '', true],
      ['v3', 'update', null, '', false],
      ['v2', 'update', 'two', 'better', false],
      ['v1', 'create', 'one', '', false],
    ])
    expect((await server.call(`GET ${path('/versions/v2')}`)).body.data).toMatchObject({ content: 'two' })
    expect((await server.call(`GET ${path('/versions/v9')}`)).status).toBe(404)
  })
  it('rolls back as a new version', async () => {
    await run({
      name: '',
      call: `POST ${path('/rollback')}`,
      token: as('editor'),
      body: { version: 'v1', message: 'was better' },
      status: 200,
      reply: {
        data: {
          content: 'one',
          prompt_key: null,
          version: 'v5',
          messages: [{ role: 'system', content: 'Be brief' }],
        },
      },
      audit: ['editor rollback agent a'],
      frames: changedFrames,
    })
    expect((await server.call(`POST ${path('/rollback')}`, { body: { version: 5 } })).status).toBe(422)
    expect((await server.call(`POST ${path('/rollback')}`, { body: { version: 'v7' } })).status).toBe(404)
  })
  it('keeps the previous state in the audit log', async () => {
    const { body } = await server.call(`GET /api/audit?resource_id=${ids['a']}&action=rollback`)
    const entry = await server.call(`GET /api/audit/${body.data[0].id}`)
    expect(entry.body.data).toMatchObject({
      before: { prompt_key: 'answer', content: null, version: 'v4' },
      after: { prompt_key: null, content: 'one', version: 'v5' },
    })
  })
  it('can be copied within its workspace and to another', async () => {
    await run({
      name: '',
      call: `POST ${path('/duplicate')}`,
      token: as('editor'),
      status: 201,
      reply: { data: { key: 'a-copy', name: 'An agent (copy)', version: 'v1', content: 'one' } },
      audit: ['editor create agent a-copy'],
      frames: changedFrames,
    })
    const copy = await server.call(`POST ${path('/duplicate')}`, { body: { workspace_id: 'default' } })
    expect(copy.body.data).toMatchObject({ key: 'a', name: 'An agent', workspace_id: 'default' })
    expect((await server.call(`POST ${path('/duplicate')}`, { body: { key: 'a' } })).status).toBe(409)
  })
  it('is deleted with its versions, once', async () => {
    await run({
      name: '',
      call: `DELETE ${path()}`,
      token: as('editor'),
      status: 200,
      reply: { ok: true },
      audit: ['editor delete agent a'],
      frames: changedFrames,
    })
    expect((await server.call(`GET ${path()}`)).status).toBe(404)
    expect((await server.call(`GET ${path('/versions')}`)).status).toBe(404)
    expect((await server.call(`DELETE ${path()}`)).status).toBe(404)
  })
  it('honours Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await server.call('POST /api/agents', { body: { key: 'once', content: 'x' }, headers })
    const again = await server.call('POST /api/agents', { body: { key: 'once', content: 'x' }, headers })
    expect(again.body).toEqual(first.body)
  })
})

describe('running', () => {
  const runOf = async (body: object, input: object = {}) => {
    const { id } = await make(server, '/api/agents', body)
    return {
      id,
      reply: await server.call(`POST /api/agents/${id}/run`, { token: tokens['viewer'] ?? '', body: input }),
    }
  }
  it('is one call, logged with its key and version', async () => {
    const { reply } = await runOf(
      { key: 'r/own', content: 'Hi {{who}}', messages: [{ role: 'system', content: 'Be brief' }] },
      { variables: { who: 'world' } },
    )
    expect(reply.body).toMatchObject({
      rendered: 'Hi world',
      result: { provider: 'mock', output: 'mock completion (mock-small): Hi world' },
      run: {
        source: 'agent',
        ref_key: 'r/own',
        version: 'v1',
        status: 'ok',
        user: 'viewer',
        reported: false,
      },
    })
    const log = await server.call('GET /api/runs?ref_key=r/own')
    expect(log.body.data.map((run: { id: number }) => run.id)).toEqual([reply.body.run.id])
    const stats = await server.call('GET /api/runs/stats?ref_key=r/own')
    expect(stats.body.data).toMatchObject({ total: 1, ok: 1, by_source: [{ source: 'agent', count: 1 }] })
  })
  it('runs the currently served version with its defaults', async () => {
    const { id, reply } = await runOf(
      { key: 'r/prompt', prompt_key: 'answer' },
      { variables: { question: 'Q' } },
    )
    expect(reply.body.rendered).toBe('Answer Q in English')
    const input = await server.call(`GET /api/agents/${id}/input`)
    expect(input.body.data).toMatchObject({
      ready: true,
      prompt: { key: 'answer', env: 'prod', version: 'v1' },
      variables: [
        { name: 'question', required: true },
        { name: 'language', default: 'English' },
      ],
    })
  })
  it('runs an older version on request', async () => {
    const { id } = await make(server, '/api/agents', { key: 'r/older', content: 'old' })
    await server.call(`PATCH /api/agents/${id}`, { body: { content: 'new' } })
    const older = await server.call(`POST /api/agents/${id}/run`, { body: { version: 'v1' } })
    expect(older.body).toMatchObject({ rendered: 'old', run: { version: 'v1' } })
    const none = await server.call(`POST /api/agents/${id}/run`, { body: { version: 'v9' } })
    expect(none.body.errors.map((error: { path: string }) => error.path)).toEqual(['version'])
  })
  it.each([
    ['a variable is missing', { key: 'r/missing', content: 'Hi {{who}}' }, {}, 'variables.who'],
    ['the prompt has no served version', { key: 'r/none', prompt_key: 'draft-only' }, {}, 'prompt_key'],
    ['the prompt does not exist', { key: 'r/gone', prompt_key: 'no-such' }, {}, 'prompt_key'],
  ])('is refused, and logs nothing, when %s', async (_name, body, input, path) => {
    const { id, reply } = await runOf(body, input)
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual([path])
    expect((await server.call(`GET /api/runs?ref_key=${body.key}`)).body.total).toBe(0)
    const ready = (await server.call(`GET /api/agents/${id}/input`)).body.data.ready
    expect(ready).toBe(path.startsWith('variables'))
  })
  it('stores the sent input when the provider fails, as one run', async () => {
    const { reply } = await runOf({ key: 'r/fails', content: 'Hi', params: { mock: { fail: 'start' } } })
    expect(reply.status).toBe(502)
    expect(reply.body).toMatchObject({ code: 'provider.failed', rendered: 'Hi', run_id: expect.any(Number) })
    const log = await server.call('GET /api/runs?ref_key=r/fails')
    expect(log.body.data).toMatchObject([{ id: reply.body.run_id, status: 'error', source: 'agent' }])
  })
  it('streams the text, then the reply', async () => {
    const { id } = await make(server, '/api/agents', { key: 'r/stream', content: 'Hi {{who}}' })
    const stream = await streamed(server, `/api/agents/${id}/run`, { variables: { who: 'world' } })
    const events = await stream.rest()
    const text = events
      .filter(({ event }) => event === 'delta')
      .map(({ data }) => data.text)
      .join('')
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { rendered: 'Hi world', result: { output: text } },
    })
    const refused = await streamed(server, `/api/agents/${id}/run`, {})
    expect(refused.response.status).toBe(422)
  })
})
