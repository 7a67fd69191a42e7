import { type ClientRequest, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { maxOtlpBytes } from '../../../contract/telemetry/telemetry.ts'
import { loadCodec } from '../../../server/telemetry/protocol/codec.ts'
import { startTestServer } from '../../support/service.ts'
import { json, protobuf, server, setUpService } from './protocol-support.ts'
import { post, type Reply } from './telemetry-support.ts'

setUpService()

/** Encodes a field with a length, of a number below 16. */
function field(number: number, content: Buffer): Buffer {
  const length: number[] = []
  let rest = content.length
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length, rest]), content])
}

async function statusIn(reply: Reply): Promise<{ code: number; message: string; reason: string }> {
  if (reply.body !== undefined)
    return { code: reply.body.code, message: reply.body.message, reason: reply.body.details[0].reason }
  const codec = await loadCodec()
  const status = codec.decode('Status', reply.bytes) as {
    code: number
    message: string
    details: { value: Buffer }[]
  }
  const info = codec.decode('ErrorInfo', Buffer.from(status.details[0]?.value ?? '')) as { reason: string }
  return { code: status.code, message: status.message, reason: info.reason }
}

describe('errors', () => {
  it.each([
    ['truncated Protobuf', Buffer.from([0x0a, 0x7f, 1]), protobuf],
    ['Protobuf of another kind', Buffer.from('{"resourceSpans":[]}'), protobuf],
    ['text that is not JSON', '{"resourceSpans":', json],
    ['a list of a wrong type', '{"resourceSpans":"x"}', json],
    ['a span of a wrong type', '{"resourceSpans":[{"scopeSpans":[{"spans":[7]}]}]}', json],
    ['invalid gzip', 'abc', { ...json, 'content-encoding': 'gzip' }],
    ['JSON that is nested too deeply', `{"resourceSpans":${'['.repeat(5000)}${']'.repeat(5000)}}`, json],
    ['an empty JSON body', '', json],
  ])('of %s are 400 in the encoding of the request', async (_, body, headers) => {
    const reply = await post(server, 'traces', body, headers)
    expect({ status: reply.status, type: reply.type }).toEqual({ status: 400, type: headers['content-type'] })
    expect(await statusIn(reply)).toMatchObject({ code: 3, reason: 'request.malformed' })
    expect(reply.headers.get('retry-after')).toBeNull()
  })

  it('of Protobuf that is nested too deeply are 400', async () => {
    // A list in a list in a list …, below the value of an attribute.
    let value: Buffer = Buffer.alloc(0)
    for (let depth = 0; depth < 5000; depth += 1) value = field(5, field(1, value))
    const keyValue = Buffer.concat([field(1, Buffer.from('a')), field(2, value)])
    const bytes = field(1, field(1, field(1, keyValue)))
    expect((await post(server, 'traces', bytes, protobuf)).status).toBe(400)
  })

  it.each([
    ['another content type', 'x', { 'content-type': 'text/plain' }, 415, 3],
    ['another content encoding', 'x', { ...json, 'content-encoding': 'br' }, 415, 3],
    ['a large body', Buffer.alloc(maxOtlpBytes.sent + 1), protobuf, 413, 3],
    [
      'a body that expands beyond the limit',
      gzipSync(Buffer.alloc(maxOtlpBytes.decompressed + 1)),
      { ...protobuf, 'content-encoding': 'gzip' },
      413,
      3,
    ],
    [
      'a small body of very many elements',
      gzipSync(Buffer.alloc(4_000_000, Buffer.from([0x0a, 0]))),
      { ...protobuf, 'content-encoding': 'gzip' },
      413,
      3,
    ],
    ['JSON of very many elements', `{"resourceSpans":[${'{},'.repeat(1_000_000)}{}]}`, json, 413, 3],
    ['no token', '{}', { ...json, authorization: '' }, 401, 16],
    ['another token', '{}', { ...json, authorization: 'Bearer wrong' }, 401, 16],
    ['a page of another site', '{}', { ...json, origin: 'https://evil.example' }, 403, 7],
  ])('of %s', async (_, body, headers, status, code) => {
    const reply = await post(server, 'traces', body, headers as Record<string, string>)
    expect(reply.status).toBe(status)
    expect(await statusIn(reply)).toMatchObject({ code })
  })

  it('of another method are 405, with the method that is allowed', async () => {
    const reply = await server.call('GET /v1/traces')
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST')
  })

  it('of metrics, which are not received, are 404', async () => {
    const reply = await post(server, 'metrics', '{}', json)
    expect(reply.status).toBe(404)
    expect(await statusIn(reply)).toMatchObject({ code: 5, reason: 'not_found' })
  })

  it('of too many requests are 429 with the time of the next one', async () => {
    const limited = await startTestServer({ env: { REQUESTS_PER_MINUTE: '1' } })
    try {
      await post(limited, 'logs', '{}', json)
      const reply = await post(limited, 'logs', '{}', json)
      expect(reply.status).toBe(429)
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await statusIn(reply)).toMatchObject({ code: 8, reason: 'rate_limited' })
    } finally {
      await limited.close()
    }
  })
})

/** Sends all of a request but its end. `status` resolves with that of the reply. */
function begin(token: string): { readonly req: ClientRequest; readonly status: Promise<number> } {
  const headers = { ...json, authorization: `Bearer ${token}`, 'content-length': '2' }
  const req = request(`${server.url}/v1/traces`, { method: 'POST', headers, agent: false })
  const status = new Promise<number>((resolve, reject) => {
    req.on('response', (res) => resolve(res.resume().statusCode ?? 0)).on('error', reject)
  })
  req.write('{')
  return { req, status }
}

it('one caller cannot use all slots for requests', async () => {
  const created = await server.call('POST /api/tokens', { body: { name: 'exporter', role: 'viewer' } })
  const begun = Array.from({ length: 9 }, () => begin(created.body.data.token))
  const refused = await Promise.race(begun.map(async (each) => ({ ...each, status: await each.status })))
  expect(refused.status).toBe(429)
  expect((await post(server, 'traces', '{}', json)).status).toBe(200)
  const others = begun.filter(({ req }) => req !== refused.req)
  for (const { req } of others) req.end('}')
  expect(await Promise.all(others.map(({ status }) => status))).toEqual(others.map(() => 200))
})
