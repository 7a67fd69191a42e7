import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, constants } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GatewayTest, providerKey, startGateway } from './gateway-support.ts'

let gateway: GatewayTest
let raw: Server
/** The bytes with which the raw provider replies to each request. */
let replyBytes: (string | Buffer)[] = []
/** First lines of the requests that the raw provider received. */
let received: string[] = []
const sockets = new Set<Socket>()

beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_BODY_MB: '4', GATEWAY_BODIES_MB: '8' } })
  raw = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', (bytes) => {
      received.push(bytes.toString().split('\r\n', 1)[0] ?? '')
      for (const bytes of replyBytes) socket.write(bytes)
    })
  })
  raw.listen(0, '127.0.0.1')
  await once(raw, 'listening')
  const { port } = raw.address() as AddressInfo
  for (const name of ['openai', 'gemini']) {
    const body = { base_url: `http://127.0.0.1:${port}/base`, local: true, api_key: providerKey }
    expect(await gateway.server.call(`PATCH /api/providers/${name}`, { body })).toMatchObject({ status: 200 })
  }
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  raw.close()
  await gateway.close()
})
beforeEach(() => {
  received = []
})

const chat = '/gateway/openai/v1/chat/completions'
const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] }

/** Calls a model of the raw provider, which replies with these bytes. */
function callRaw(asked: object, ...bytes: (string | Buffer)[]): Promise<Response> {
  replyBytes = bytes
  return fetch(`${gateway.server.url}${chat}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(asked),
  })
}

const head = (fields: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\nconnection: close\r\n${fields}\r\n\r\n`

function jsonReply(body: string, status?: string): string {
  return `${head(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`, status)}${body}`
}

const runOf = (reply: Response) => gateway.run(reply.headers.get('promptdeck-run-id'))

/** Sends a request whose path is not normalized. */
async function send(method: string, path: string): Promise<number | undefined> {
  const req = request(gateway.server.url, {
    method,
    path,
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
  })
  req.end(method === 'POST' ? JSON.stringify(hello) : undefined)
  const [res] = await once(req, 'response')
  res.resume()
  await once(res, 'end')
  return res.statusCode
}

describe('a caller', () => {
  it.each([
    ['GET', '/gateway/openai/v1/models/../files'],
    ['GET', '/gateway/openai/v1/models/%2e%2E/files'],
    ['GET', '/gateway/openai/v1/models/.%2e/files'],
    ['GET', '/gateway/openai/v1/models/a/../../files'],
    ['GET', '/gateway/openai/v1/models/..\\files'],
    ['GET', '/gateway/openai/v1/models/..%2ffiles'],
    ['GET', '/gateway/openai/v1/models/..'],
    ['POST', '/gateway/gemini/v1beta/models/../cachedContents/x#:generateContent'],
    ['POST', '/gateway/gemini/v1beta/models/../tunedModels/x:generateContent'],
    ['POST', '/gateway/gemini/v1beta/models/x#:countTokens'],
  ])('reaches no other path of the provider: %s %s', async (method, path) => {
    replyBytes = [jsonReply('{}')]
    expect(await send(method, path)).toBe(404)
    expect(received).toEqual([])
  })

  it('reaches a model whose name has slashes and dots', async () => {
    replyBytes = [jsonReply('{}')]
    expect(await send('GET', '/gateway/openai/v1/models/org/..model.v1..')).toBe(200)
    expect(received).toEqual(['GET /base/models/org/..model.v1.. HTTP/1.1'])
  })

  const rewritten = ['promptdeck/deep@prod', 'virtual']
  it.each(rewritten)('is told that a body for %s is nested too deeply', async (model) => {
    const virtual_models = [{ name: 'virtual', targets: [{ provider: 'openai', model: 'gpt-4o-mini' }] }]
    await gateway.server.call('PATCH /api/settings', { body: { virtual_models } })
    const prompt = { key: 'deep', env: 'prod', model: 'gpt-4o-mini', content: 'Hi' }
    await gateway.server.call('POST /api/prompts', { body: prompt })
    const reply = await fetch(`${gateway.server.url}${chat}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      body: `{"model":"${model}","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    })
    expect([reply.status, received]).toEqual([400, []])
  })

  it('cannot take the memory of the other callers', async () => {
    const large = JSON.stringify({ ...hello, padding: 'x'.repeat(3 * 1024 * 1024) })
    const call = (token: string, signal: AbortSignal | null = null) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return fetch(`${gateway.server.url}${chat}`, { method: 'POST', headers, body: large, signal })
    }
    const { token: other } = await gateway.createToken({ name: 'other', gateway: true })
    // No reply.
    replyBytes = []
    const controller = new AbortController()
    const waiting = call(gateway.token, controller.signal).catch(() => null)
    await expect.poll(() => received.length).toBe(1)
    replyBytes = [jsonReply('{}')]
    expect((await call(gateway.token)).status).toBe(429)
    expect((await call(other)).status).toBe(200)
    controller.abort()
    await waiting
    await expect.poll(async () => (await call(gateway.token)).status).toBe(200)
  })
})

describe('a captured request', () => {
  it.each([
    ['numbers', Array(300_000).fill(7)],
    ['objects', Array(250_000).fill({})],
    ['names', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`name ${index}`, true]))],
  ])('has a limited size, also with many %s', async (_name, tools) => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'full' } })
    const reply = await callRaw({ ...hello, tools }, jsonReply('{}'))
    await reply.text()
    const run = await runOf(reply)
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(run).toMatchObject({ content_state: 'captured', input: { messages: hello.messages } })
    expect(JSON.stringify(run['input']).length).toBeLessThan(600_000)
  })
})

describe('a provider', () => {
  it('sets nothing for the host of the service', async () => {
    const headers = ['clear-site-data: "*"', 'report-to: {}', 'nel: {}', 'alt-svc: h3', 'x-kept: 1']
    const reply = await callRaw(hello, `${head(`content-length: 0\r\n${headers.join('\r\n')}`)}`)
    expect(reply.headers.get('x-kept')).toBe('1')
    for (const name of ['clear-site-data', 'report-to', 'nel', 'alt-svc'])
      expect(reply.headers.get(name)).toBeNull()
  })

  it.each([1000, 50_000])('whose error is nested in %i levels has a run', async (levels) => {
    const reply = await callRaw(
      hello,
      jsonReply(`${'{"error":'.repeat(levels)}1${'}'.repeat(levels)}`, '400 Bad Request'),
    )
    expect(reply.status).toBe(400)
    await reply.text()
    expect(await runOf(reply)).toMatchObject({ status: 'error', error_type: 'bad_request' })
  })

  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  it.each([
    ['100,000 levels of text', nested(100_000)],
    ['1,000 levels', JSON.parse(nested(1000))],
  ])('whose tool call has %s has a run', async (_, given) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: given } }
    const body = {
      object: 'chat.completion',
      choices: [
        { index: 0, message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' },
      ],
    }
    const reply = await callRaw(hello, jsonReply(JSON.stringify(body)))
    await reply.text()
    expect(await runOf(reply)).toMatchObject({ status: 'ok', tool_names: ['f'] })
  })

  it.each(['200 \u0001', '099 Early', '000 Zero'])(
    'whose status is %j is a failed call, and its connection is closed',
    async (status) => {
      const reply = await callRaw(
        hello,
        `${head('content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\nx-canary: 1', status)}{}`,
      )
      expect(reply.status).toBe(502)
      expect(reply.headers.get('x-canary')).toBeNull()
      expect(await reply.json()).toMatchObject({ error: { type: 'server_error' } })
      expect(await runOf(reply)).toMatchObject({ status: 'error' })
      await expect.poll(() => sockets.size).toBe(0)
    },
  )

  it('that switches to another protocol is a failed call, and its connection is closed', async () => {
    const upgrade = head('upgrade: websocket', '101 Switching Protocols').replace('close', 'upgrade')
    const reply = await callRaw(hello, upgrade)
    expect(reply.status).toBe(502)
    expect(await reply.json()).toMatchObject({ error: { type: 'server_error' } })
    expect(await runOf(reply)).toMatchObject({ status: 'error' })
    await expect.poll(() => sockets.size).toBe(0)
  })

  it('whose line of JSON is too long is passed on, and not parsed', async () => {
    const line = `${JSON.stringify({ object: 'chat.completion', choices: [], x: 'x'.repeat(4 * 1024 * 1024) })}\n`
    const reply = await callRaw(
      hello,
      head(`content-type: application/jsonl\r\ncontent-length: ${line.length}`),
      line,
    )
    expect((await reply.text()).length).toBe(line.length)
    expect(await runOf(reply)).toMatchObject({ reply_mark: 'unparsed' })
  })

  it('whose reply expands without end is passed on, and not parsed', async () => {
    const frame =
      'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n'
    // A reply is read up to 64 MiB.
    const bomb = brotliCompressSync(
      Buffer.concat([Buffer.from(frame), Buffer.alloc(72 * 1024 * 1024, ':\n')]),
      { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    )
    const reply = await callRaw(
      hello,
      head(`content-type: text/event-stream\r\ncontent-encoding: br\r\ncontent-length: ${bomb.length}`),
      bomb,
    )
    await reply.body?.cancel()
    expect(await runOf(reply)).toMatchObject({ reply_mark: 'unparsed' })
  })
})
