import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import type { Network } from '../../../contract/system/network.ts'
import { bare } from '../../support/bare.ts'
import {
  authorityOf,
  exchange,
  handshake,
  hasOpenssl,
  lanCall,
  lanOn,
  openssl,
  shareWith,
  testNetwork,
} from '../../support/lan/lan.ts'
import { serviceToken, startTestServer } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'

let network: Network
let port: number
let ca: string

setUpService(
  async () => {
    network = await shareWith(server)
    port = network.port
    ca = await authorityOf(port)
  },
  { env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } },
)

describe('the LAN listener', () => {
  it('shares the service at its addresses', () => {
    expect(network).toMatchObject({
      enabled: true,
      state: 'listening',
      addresses: [`https://127.0.0.1:${port}`, `https://desk.local:${port}`],
      interfaces: [{ name: 'eth0', address: '127.0.0.1', selected: true }],
      name: 'desk',
      certificate: { source: 'local' },
      blockers: [],
      fixed: ['LAN', 'LAN_PORT'],
    })
    expect(network.words).toHaveLength(4)
  })

  it.each(['127.0.0.1', 'desk.local', 'desk'])('serves the API over verified TLS as %s', async (host) => {
    const reply = await lanCall('GET /api/me', { port, ca, host, token: serviceToken })
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.text)).toMatchObject({ username: 'service-token' })
  })

  it('serves the hot routes and the console', async () => {
    const run = { provider: 'openai', model: 'gpt-4o', status: 'ok', latency_ms: 5 }
    expect((await lanCall('POST /api/runs', { port, ca, token: serviceToken, body: run })).status).toBe(201)
    const page = await lanCall('GET /overview', { port, ca })
    expect(page.text).toMatch(/<!doctype html>/i)
  })

  it('is not trusted without its authority', async () => {
    await expect(handshake({ port })).rejects.toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' })
    await expect(handshake({ port, ca, servername: 'desk.example' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  it('sends live frames over TLS', async () => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/ws?client=browser&app=t&namespace=*`, {
      ca,
      headers: { authorization: `Bearer ${serviceToken}` },
    })
    const [hello] = await once(socket, 'message')
    expect(JSON.parse(String(hello))).toMatchObject({ type: 'hello' })
    socket.terminate()
  })

  it('accepts requests of clients that offer h2c', async () => {
    const socket = await handshake({ port, ca })
    socket.write(
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    )
    const [bytes] = await once(socket, 'data')
    expect(String(bytes)).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  it('keeps plain HTTP on loopback', async () => {
    expect((await server.call('GET /api/me')).status).toBe(200)
  })
})

describe('callers on the network', () => {
  it('are not treated as callers on this machine', async () => {
    const health = await lanCall('GET /health', { port, ca })
    expect(JSON.parse(health.text)).toEqual({ ok: true, status: 'ok', version: expect.any(String) })
    expect((await server.call('GET /health', { token: null })).body).toHaveProperty('defaults')
    expect((await lanCall('GET /metrics', { port, ca })).status).toBe(401)
    expect((await lanCall('GET /metrics', { port, ca, token: serviceToken })).status).toBe(200)
    const socket = new WebSocket(`wss://127.0.0.1:${port}/ws?token=${serviceToken}`, { ca })
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(401)
    socket.on('error', () => undefined).terminate()
  })

  it.each([
    'evil.example',
    'evil.example:4743',
    '127.0.0.1:1',
    '127.0.0.1',
    '127.0.0.2:PORT',
    'localhost:PORT',
    'desk.evil.example:PORT',
    '192.168.1.1:PORT',
  ])('get nothing with the Host %s', async (hostHeader) => {
    const given = hostHeader.replace('PORT', String(port))
    for (const path of ['/', '/health', '/api/me', '/assets/x.js']) {
      const reply = await lanCall(`GET ${path}`, { port, ca, hostHeader: given, token: serviceToken })
      expect(reply.status).toBe(421)
      expect(reply.text).not.toMatch(/username|<!doctype html>|"ok"/i)
    }
  })

  it('cannot use names of the network on the loopback listener', async () => {
    const reply = await bare(server.url, '/health', { host: `desk.local:${port}` })
    expect(reply.status).toBe(421)
  })

  it.each([
    ['another site', 'https://evil.example', 403],
    ['the same host over plain HTTP', 'http://127.0.0.1:PORT', 403],
    ['another port', 'https://127.0.0.1:1', 403],
    ['an opaque origin', 'null', 403],
    ['its own origin', 'https://127.0.0.1:PORT', 200],
  ])('with the origin of %s', async (_, origin, status) => {
    const headers = { origin: origin.replace('PORT', String(port)) }
    const reply = await lanCall('GET /api/me', { port, ca, token: serviceToken, headers })
    expect(reply.status).toBe(status)
  })
})

describe('the protocol', () => {
  it('is TLS 1.3 by default, and TLS 1.2 with AEAD', async () => {
    const newest = await handshake({ port, ca })
    expect(newest.getProtocol()).toBe('TLSv1.3')
    newest.destroy()
    const older = await handshake({ port, ca, maxVersion: 'TLSv1.2' })
    expect(older.getProtocol()).toBe('TLSv1.2')
    expect(older.getCipher().name).toMatch(/^ECDHE-ECDSA-.*(?:GCM|POLY1305)/)
    older.destroy()
  })

  it.each([
    ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' }],
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }],
    ['CBC', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA384' }],
    ['CBC with SHA-1', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0' }],
    ['no forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }],
    ['CCM', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-CCM' }],
    ['no encryption', { maxVersion: 'TLSv1.2', ciphers: 'eNULL:@SECLEVEL=0' }],
  ] as const)('refuses %s', async (_, options) => {
    await expect(handshake({ port, ca, ...options })).rejects.toThrow()
  })

  it('refuses renegotiation', async () => {
    const socket = await handshake({ port, ca, maxVersion: 'TLSv1.2' })
    const failure = await new Promise<unknown>((resolve) => {
      socket.on('error', resolve)
      socket.renegotiate({ rejectUnauthorized: true }, (error) => resolve(error))
    })
    expect(String(failure)).toMatch(/no.renegotiation/i)
    socket.destroy()
  })

  it('closes a connection whose first byte is TLS and the rest is not', async () => {
    expect(await exchange(port, Buffer.from([0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))).not.toContain(
      'HTTP',
    )
  })

  it.skipIf(!hasOpenssl)('is verified by openssl with the authority alone', async () => {
    const file = join(server.dataDir, 'ca.crt')
    await writeFile(file, ca)
    const connect = ['s_client', '-connect', `127.0.0.1:${port}`, '-CAfile', file]
    const name = ['-verify_return_error', '-verify_ip', '127.0.0.1']
    expect(await openssl(...connect, ...name)).toContain('Verify return code: 0 (ok)')
    expect(await openssl(...connect, '-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0')).toMatch(
      /alert|no protocols/,
    )
    const cbc = await openssl(...connect, '-tls1_2', '-cipher', 'ECDHE-ECDSA-AES256-SHA384')
    expect(cbc).toContain('alert handshake failure')
  })
})

describe.concurrent('a slow connection', () => {
  it('is closed with a request over TLS that does not continue', { timeout: 30_000 }, async () => {
    const socket = await handshake({ port, ca })
    socket.on('error', () => undefined).resume()
    socket.write('GET /health HTTP/1.1\r\nHost:')
    await once(socket, 'close')
  })

  it.each([
    ['without a first byte', Buffer.alloc(0)],
    ['with a handshake that does not continue', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])],
    ['with a request that does not continue', Buffer.from('GET / HTTP/1.1\r\nHost:')],
  ])('is closed %s', { timeout: 30_000 }, async (_, bytes) => {
    const socket = createConnection(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => undefined).resume()
    socket.write(bytes)
    await once(socket, 'close')
  })
})

it('stops with the service', async () => {
  const other = await startTestServer({
    env: lanOn,
    substitutes: { network: testNetwork('127.0.0.1') },
  })
  const shared = await shareWith(other)
  const idle = await handshake({ port: shared.port, ca: await authorityOf(shared.port) })
  const closed = once(idle, 'close')
  await other.close()
  await closed
  await expect(handshake({ port: shared.port, ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
