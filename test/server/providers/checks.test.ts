import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isDue } from '../../../server/features/providers/checks/schedule.ts'
import { type Loopback, listen } from '../../support/http/loopback.ts'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { openSocket } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

const key = 'sk-canary-of-the-checks-1234'
const newKey = 'sk-canary-of-the-checks-5678'
const minute = 60_000

/** A server with the protocol of OpenAI, whose statuses a test sets. */
const remote = { lists: 0, listStatus: 200, callStatus: 200, accepted: '' }
function reply(req: IncomingMessage, res: ServerResponse): void {
  const isList = req.method === 'GET'
  if (isList) remote.lists += 1
  const isRefused = remote.accepted !== '' && req.headers.authorization !== `Bearer ${remote.accepted}`
  const status = isRefused ? 401 : isList ? remote.listStatus : remote.callStatus
  if (status !== 200) {
    res.writeHead(status, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ error: { message: 'no' } }))
  } else if (isList) res.end(JSON.stringify({ data: [{ id: 'small' }] }))
  else {
    const chunk = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'small' }
    const choice = { index: 0, delta: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.end(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\ndata: [DONE]\n\n`)
  }
}

let now = Date.parse('2026-11-21T09:00:00.000Z')
/** The work of the timer of the checks. */
let tick: () => void = () => undefined
let server: TestServer
let http: Loopback

beforeAll(async () => {
  http = await listen(createServer(reply))
  server = await startTestServer({
    env: { PROVIDER_CHECK_MINUTES: '5' },
    substitutes: {
      clock: { now: () => new Date(now) },
      every: (_ms, work) => {
        tick = work
        return () => undefined
      },
    },
  })
})
afterAll(async () => {
  await server.close()
  await http.close()
})
beforeEach(() => Object.assign(remote, { lists: 0, listStatus: 200, callStatus: 200, accepted: '' }))

const put = (body: object, name = 'openai') => server.call(`PUT /api/providers/${name}`, { body })
const get = async (name = 'openai') => (await server.call(`GET /api/providers/${name}`)).body.data
const test = async (name = 'openai') => (await server.call(`POST /api/providers/${name}/test`)).body.data
const run = (params: object = {}, provider = 'openai') =>
  server.call('POST /api/playground/run', { body: { content: 'Hi', provider, model: 'small', params } })
const setUp = async (body: object = {}) => {
  await server.call('DELETE /api/providers/openai')
  expect((await put({ base_url: `${http.url}/v1`, local: true, api_key: key, ...body })).status).toBe(200)
}
/** Runs the timer once, and reads the provider at each announcement until it has this status. */
async function tickUntil(status: string): Promise<void> {
  const socket = await openSocket(server)
  const reached = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).entity !== 'provider') return
      get().then((provider) => provider.status === status && resolve(), reject)
    })
  })
  tick()
  await reached
  socket.close()
}

describe('the status of a provider', () => {
  it('is not configured, disabled or unchecked before a check', async () => {
    expect(await get('claude')).toMatchObject({ status: 'not_configured', checked_at: null })
    expect(await get('ollama')).toMatchObject({ status: 'unchecked', configured: true, latency_ms: null })
    await setUp({ enabled: false })
    expect(await get()).toMatchObject({ status: 'disabled' })
    await put({ enabled: null })
    expect(await get()).toMatchObject({ status: 'unchecked', checked_at: null, checked_by: null })
    expect(await get('mock')).toMatchObject({ status: 'ready', checked_at: null })
  })

  it('is ready with time and latency after a successful test, until the settings change', async () => {
    await setUp()
    const { latency_ms } = await test()
    expect(await get()).toMatchObject({
      status: 'ready',
      checked_at: new Date(now).toISOString(),
      checked_by: 'check',
      latency_ms,
      error: null,
    })
    now += 1
    await put({ concurrency: 3 })
    expect(await get()).toMatchObject({ status: 'unchecked' })
  })

  it('is failing with the reason and the time of the first failure, until a success', async () => {
    await setUp()
    const first = now
    remote.listStatus = 401
    await test()
    now += minute
    remote.listStatus = 503
    await test()
    expect(await get()).toMatchObject({
      status: 'failing',
      failing_since: new Date(first).toISOString(),
      checked_at: new Date(now).toISOString(),
      error: 'The provider returned an error (HTTP 503).',
    })
    remote.listStatus = 401
    await test()
    const viewer = await server.signedIn('viewer')
    const choices = await server.call('GET /api/playground/providers', { token: viewer.token })
    const seen = choices.body.data.find(({ name }: { name: string }) => name === 'openai')
    expect(seen).toMatchObject({ status: 'failing', error: 'The provider rejected the key (HTTP 401).' })
    remote.listStatus = 200
    await test()
    expect(await get()).toMatchObject({ status: 'ready', failing_since: null, error: null })
  })

  it('counts the calls of models, but not the errors of a caller', async () => {
    await setUp()
    expect((await run()).status).toBe(200)
    expect(await get()).toMatchObject({ status: 'ready', checked_by: 'call' })
    remote.callStatus = 400
    expect((await run()).status).toBe(502)
    expect(await get()).toMatchObject({ status: 'ready' })
    remote.callStatus = 401
    expect((await run()).body).toMatchObject({ code: 'provider.failed' })
    expect(await get()).toMatchObject({
      status: 'failing',
      checked_by: 'call',
      latency_ms: null,
      error: 'The provider rejected the key (HTTP 401).',
    })
    expect((await run({ mock: { fail: 'start' } }, 'mock')).status).toBe(502)
    expect(await get('mock')).toMatchObject({ status: 'ready', error: null })
  })

  it('is unchecked after a restart, unless a database has the result for all instances', async () => {
    await setUp()
    await test()
    await server.restart()
    const status = isOnPostgres ? 'ready' : 'unchecked'
    expect(await get()).toMatchObject({ status, has_key: true })
  })
})

describe('the background checks', () => {
  it('list the models of configured and enabled providers, when they are due', async () => {
    await setUp()
    await server.call('PUT /api/providers/gemini', { body: { enabled: false, api_key: key } })
    await tickUntil('ready')
    expect(remote.lists).toBe(1)
    // Nobody set up or used this one: it gets no request, although it could be called.
    expect(await get('ollama')).toMatchObject({ status: 'unchecked' })

    now += 3 * minute
    tick()
    await run()
    now += 3 * minute
    tick()
    // The call in between counts as a check.
    expect((await get()).checked_by).toBe('call')
    now += 4 * minute
    remote.listStatus = 500
    await tickUntil('failing')
    expect(await get()).toMatchObject({ checked_by: 'check' })
    expect(remote.lists).toBe(2)

    // A failing provider is checked again after a minute.
    now += 1.3 * minute
    remote.listStatus = 200
    await tickUntil('ready')
    expect(await get()).toMatchObject({ failing_since: null })
  })

  it('vary their interval', () => {
    const health = { by: 'check', latencyMs: 1, at: 0, failingSince: null, error: null } as const
    expect(isDue(null, 0, 5 * minute, 1)).toBe(true)
    expect(isDue(health, 4 * minute, 5 * minute, 0.8)).toBe(true)
    expect(isDue(health, 5 * minute, 5 * minute, 1.2)).toBe(false)
    // The clock was set back.
    expect(isDue(health, -1, 5 * minute, 1)).toBe(true)
  })
})

describe('a new key', () => {
  it('is tested on request before it replaces the stored one', async () => {
    await setUp()
    remote.accepted = key
    const refused = await put({ api_key: newKey, test_key: true })
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toEqual([
      {
        path: 'api_key',
        message:
          'The new key was not saved, because its test failed: The provider rejected the key (HTTP 401).',
      },
    ])
    expect(await get()).toMatchObject({ key_hint: '1234' })
    expect(await test()).toMatchObject({ ok: true })

    remote.accepted = newKey
    const accepted = await put({ api_key: newKey, test_key: true })
    expect(accepted.body).toMatchObject({
      key_tested: true,
      message: null,
      data: { key_hint: '5678', status: 'ready', checked_by: 'check' },
    })
    expect(accepted.text).not.toContain(newKey)
  })

  it('is stored untested otherwise, which the reply states', async () => {
    await setUp()
    expect((await put({ api_key: newKey })).body).toMatchObject({
      key_tested: false,
      message: 'The key was saved without a test.',
      data: { status: 'unchecked' },
    })
    expect((await put({ concurrency: 2, test_key: true })).body).toMatchObject({ key_tested: null })
  })
})
