import { describe, expect, it } from 'vitest'
import { authorityOf, exchangeTls, lanOn, shareWith, testNetwork } from '../../support/lan/lan.ts'
import { server, setUpService } from '../file-service.ts'

let host: string
let port: number
let ca: string
setUpService(
  async () => {
    ;({ port } = await shareWith(server))
    host = `127.0.0.1:${port}`
    ca = await authorityOf(port)
  },
  { env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } },
)

/** Sends bytes as a device that is not paired. `HOST` is the host of the service. Returns status and text. */
async function send(bytes: string): Promise<{ readonly status: number; readonly text: string }> {
  const text = await exchangeTls({ port, ca }, bytes.replaceAll('HOST', host))
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0), text }
}
const get = (target: string, headers = 'Host: HOST') =>
  send(`GET ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)
const post = (body: string, headers = '') =>
  send(
    `POST /api/pair HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
  )

/** Facts that only callers with a token get: users, metrics, the list of routes. */
const secrets = /"username"|# HELP|"openapi"|"dependencies"/

describe('an unpaired device that spells a path in another way', () => {
  it.each([
    ['/api/pair/../users', 401],
    ['/api/pair/%2e%2e/users', 401],
    ['/api/pair/..%2fusers', 404],
    ['/api/pair/%2e%2e%2fusers', 404],
    ['/api/pair;/../users', 401],
    ['/api/pair%00', 401],
    ['/api//users', 401],
    ['/api/users/', 401],
    ['/%61pi/users', 200],
    ['//api/users', 200],
    ['/API/users', 200],
    ['/api\\users', 200],
    ['/x/../api/users', 200],
    ['https://HOST/api/users', 401],
    ['https://HOST/api/pair/../users', 401],
    ['https://HOST/metrics', 401],
    ['/metrics/', 200],
    ['/%6detrics', 200],
    ['//metrics', 200],
    ['/./openapi.json', 404],
    ['/assets/../../package.json', 404],
    ['/assets/..%2f..%2fpackage.json', 404],
    ['/..%5c..%5cpackage.json', 404],
  ])('gets at most the page of the console: %s', async (target, status) => {
    const reply = await get(target)
    expect(reply.status).toBe(status)
    expect(reply.text).not.toMatch(secrets)
    if (status === 200) expect(reply.text).toMatch(/<!doctype html>/i)
  })

  it('gets no more with an upgrade to HTTP/2', async () => {
    const upgrade = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__'
    const h2c = await get(
      '/api/users',
      `Host: HOST\r\n${upgrade}\r\nConnection: Upgrade, HTTP2-Settings, close`,
    )
    expect(h2c.status).toBe(401)
    expect((await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status).toBe(400)
  })

  it('cannot hide a second request in the first', async () => {
    const lengths = 'Host: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked'
    const reply = await send(
      `POST /api/pair HTTP/1.1\r\n${lengths}\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: HOST\r\n\r\n`,
    )
    expect(reply.status).toBe(400)
    expect(reply.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
})

describe('a host that is not of the service', () => {
  it.each([
    ['with a dot at its end', '/health', 'Host: desk.local.:PORT'],
    ['with a letter of another alphabet', '/health', 'Host: dеsk.local:PORT'],
    ['with a user', '/health', 'Host: user@HOST'],
    ['with a path', '/health', 'Host: HOST/x'],
    ['with another host behind it', '/health', 'Host: HOST, evil.example'],
    ['with a port in another notation', '/health', 'Host: desk.local:0PORT'],
    ['as another notation of the address', '/health', 'Host: 2130706433:PORT'],
    ['as a mapped address', '/health', 'Host: [::ffff:127.0.0.1]:PORT'],
    ['that is empty', '/health', 'Host:'],
    ['that is repeated', '/health', 'Host: HOST\r\nHost: evil.example'],
    ['that is repeated with the right one last', '/health', 'Host: evil.example\r\nHost: HOST'],
    ['forwarded by nobody who is trusted', '/health', 'Host: evil.example\r\nX-Forwarded-Host: HOST'],
    ['in the target', 'https://evil.example/health', 'Host: HOST'],
    ['in the target, with a user', 'https://HOST@evil.example/health', 'Host: HOST'],
    ['in the target of the page', 'https://evil.example/pair', 'Host: HOST'],
  ])('gets nothing %s', async (_, target, headers) => {
    const { status, text } = await get(target, headers.replaceAll('PORT', String(port)))
    expect(status).toBe(421)
    expect(text).not.toMatch(/"ok"|<!doctype/i)
  })

  it('gets no live connection with it in the target', async () => {
    const headers =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13'
    const socket = (target: string) => send(`GET ${target} HTTP/1.1\r\nHost: HOST\r\n${headers}\r\n\r\n`)
    expect((await socket('https://evil.example/ws')).status).toBe(421)
    expect((await socket('https://HOST/ws')).status).toBe(401)
  })

  it('is the one in the target, whatever the header contains (RFC 9112, 3.2.2)', async () => {
    expect((await get('https://HOST/health', 'Host: evil.example')).status).toBe(200)
  })
})

describe('input before pairing', () => {
  it.each([
    ['a prototype', '{"__proto__":{"role":"admin"}}', 422],
    ['an operator in place of a code', '{"code":{"$ne":1},"name":"x","kind":"sdk"}', 422],
    ['a list in place of a password', '{"code":"A","name":"x","kind":"browser","password":["a"]}', 422],
    ['control characters', '{"code":"A","name":"a\\u0000\\u202e","kind":"sdk"}', 422],
    ['a role of its own', '{"code":"A","name":"x","kind":"sdk","role":"admin"}', 422],
    ['100,000 open brackets', '['.repeat(60_000), 400],
    ['5,000 levels', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 422],
    ['half a character', '"\\ud800', 400],
    ['more than 64 KiB', `{"secret":"${'x'.repeat(70_000)}"}`, 413],
  ])('may not have %s', async (_, body, status) => {
    expect((await post(body)).status).toBe(status)
  })

  it('may not be compressed', async () => {
    expect((await post('x', 'Content-Encoding: gzip\r\n')).status).toBe(415)
  })

  it.each([
    ['one long header', `X: ${'x'.repeat(20_000)}`],
    ['many headers', Array.from({ length: 3000 }, (_, index) => `X${index}: y`).join('\r\n')],
  ])('may not have %s', async (_, headers) => {
    expect((await get('/health', `Host: HOST\r\n${headers}`)).status).toBe(431)
  })
})
