import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import type { Network } from '../../../contract/system/network.ts'
import { authorityOf, exchange, handshake, lanCall, lanOn, networkOf, testNetwork } from '../../support/lan.ts'
import { type TestServer, serviceToken, startTestServer } from '../../support/service.ts'

let server: TestServer
let network: Network
let ca: string
let folder: string

beforeAll(async () => {
  server = await startTestServer({ env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } })
  // The built-in password of the first admin prevents sharing.
  const token = await server.login('admin', 'admin')
  await server.call('PUT /api/me/password', {
    token,
    body: { current_password: 'admin', new_password: 'a long phrase of the admin' },
  })
  network = await networkOf(server)
  ca = await authorityOf(network.port)
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-lan-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

describe('the LAN listener', () => {
  it('is shared', () => {
    expect(network).toMatchObject({ state: 'listening', blockers: [] })
  })
  it('serves health over TLS', async () => {
    const reply = await lanCall('GET /health', { port: network.port, ca })
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.text)).not.toHaveProperty('defaults')
  })
})
void [spawnSync, once, writeFile, WebSocket, exchange, handshake, serviceToken]
