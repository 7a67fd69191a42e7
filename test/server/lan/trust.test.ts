import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Network } from '../../../contract/system/network.ts'
import { bare } from '../../support/bare.ts'
import { exchange, lanOn, shareWith, testNetwork } from '../../support/lan/lan.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
let network: Network
let origin: string

beforeAll(async () => {
  server = await startTestServer({
    env: { ...lanOn, LAN_NAME: 'Desk <b>&"7"' },
    substitutes: { network: testNetwork('127.0.0.1') },
  })
  network = await shareWith(server)
  origin = `http://127.0.0.1:${network.port}`
})
afterAll(() => server.close())

describe('plain HTTP on the TLS port', () => {
  it.each([
    '/',
    '/api/me',
    '/api/users',
    '/health',
    '/metrics',
    '/ws',
    '/pair',
    '/assets/index.js',
    '/ca.pem/',
    '/CA.PEM',
    '/?next=https://evil.example',
  ])('answers the same page for %s', async (path) => {
    const first = await bare(origin, '/', { host: 'x' })
    const reply = await bare(origin, path, { host: 'evil.example', authorization: `Bearer ${serviceToken}` })
    expect(reply).toMatchObject({ status: 200, text: first.text })
    expect(reply.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', connection: 'close' })
    expect(reply.headers).not.toHaveProperty('location')
    expect(JSON.stringify(reply)).not.toContain('evil')
  })

  it('answers absolute targets and old versions of HTTP with the same page', async () => {
    const page = (await bare(origin, '/', { host: 'x' })).text
    const requests = [
      'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example',
      'GET //evil.example/ HTTP/1.1\r\nHost: evil.example',
      'GET /%2e%2e/ca.pem HTTP/1.1\r\nHost: evil.example',
      'GET / HTTP/1.0',
    ]
    for (const head of requests) {
      const reply = await exchange(network.port, `${head}\r\n\r\n`)
      expect(reply).toMatch(/^HTTP\/1\.1 200 OK/)
      expect(reply.endsWith(page)).toBe(true)
    }
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    'refuses %s',
    async (method) => {
      for (const path of ['/', '/ca.pem', '/api/login', '/api/pair']) {
        const reply = await bare(origin, path, { host: 'x' }, method)
        expect(reply).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
      }
    },
  )

  it.each([
    ['an upgrade', 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', ''],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', ''],
    ['something else', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['too much', `GET / HTTP/1.1\r\nX: ${'x'.repeat(10_000)}\r\n\r\n`, 'HTTP/1.1 400 Bad Request'],
  ])('closes the connection after %s', async (_, bytes, reply) => {
    const text = await exchange(network.port, bytes)
    expect(text.split('\r\n')[0]).toBe(reply)
  })

  it('sends no body for HEAD', async () => {
    const reply = await bare(origin, '/', { host: 'x' }, 'HEAD')
    expect(reply).toMatchObject({ status: 200, text: '' })
  })
})

describe('the trust page', () => {
  it('shows the fingerprint, the words and the addresses', async () => {
    const { text } = await bare(origin, '/', { host: 'x' })
    expect(text.replaceAll('<wbr>', '')).toContain(network.fingerprint)
    for (const word of network.words) expect(text).toContain(`<li>${word}</li>`)
    for (const address of network.addresses) expect(text).toContain(`href="${address}"`)
    for (const system of ['Windows', 'macOS', 'iPhone', 'Android', 'Linux', 'Firefox'])
      expect(text).toContain(system)
    for (const client of [
      'NODE_EXTRA_CA_CERTS',
      'PROMPTDECK_CA',
      'keytool',
      'SSL_CERT_FILE',
      'curl --cacert',
    ])
      expect(text).toContain(client)
  })

  it('has no script and allows none', async () => {
    const { text, headers } = await bare(origin, '/', { host: 'x' })
    expect(text).not.toMatch(/<script|<form|<iframe|<img|\son\w+=|javascript:/i)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(headers).not.toHaveProperty('strict-transport-security')
    expect(headers).not.toHaveProperty('set-cookie')
  })

  it('escapes the name of the service', async () => {
    const { text } = await bare(origin, '/', { host: 'x' })
    expect(text).toContain('Desk &lt;b&gt;&amp;&quot;7&quot;')
    expect(text).not.toContain('Desk <b>')
  })

  it('offers the authority as a download', async () => {
    const { text, headers } = await bare(origin, '/ca.pem', { host: 'x' })
    expect(headers).toMatchObject({
      'content-type': 'application/x-x509-ca-cert',
      'content-disposition': 'attachment; filename="promptdeck-ca.crt"',
    })
    expect(new X509Certificate(text).fingerprint256).toBe(network.fingerprint)
    expect(text).not.toContain('PRIVATE')
  })
})
