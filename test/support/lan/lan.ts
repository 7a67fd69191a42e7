import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { vi } from 'vitest'
import type { Network } from '../../../contract/system/network.ts'
import type { NetworkAddress, NetworkSource } from '../../../server/lan/network/source.ts'
import type { Answer, TestServer } from '../service.ts'

export type TestNetwork = NetworkSource & {
  /** Replaces the addresses of the computer. The service notices at its next check. */
  set(...addresses: readonly string[]): void
  rename(hostName: string): void
  /** Runs the checks that a timer runs otherwise. Resolves when they have ended. */
  check(): Promise<void>
}

/** A network whose addresses are on loopback, so that no test listens on a real interface. */
export function testNetwork(...first: readonly string[]): TestNetwork {
  let addresses: readonly NetworkAddress[] = first.map(entryOf)
  let name = 'desk'
  const checks = new Set<() => Promise<unknown>>()
  return {
    addresses: () => addresses,
    hostName: () => name,
    watch(check) {
      checks.add(check)
      return () => checks.delete(check)
    },
    set(...next) {
      addresses = next.map(entryOf)
    },
    rename(next) {
      name = next
    },
    async check() {
      await Promise.all([...checks].map((check) => check()))
    },
  }
}

const entryOf = (address: string, index: number): NetworkAddress => ({
  name: `eth${index}`,
  address,
  family: address.includes(':') ? 'IPv6' : 'IPv4',
  zone: null,
})

/** The environment that shares the service on a free port. */
export const lanOn = { LAN: 'on', LAN_PORT: '0' }

/** Returns the state of sharing. */
export async function networkOf(server: TestServer): Promise<Network> {
  const reply = await server.call('GET /api/network')
  if (reply.status !== 200) throw new Error(`GET /api/network answered ${reply.status}: ${reply.text}`)
  return reply.body.data
}

/** Waits until the state of sharing fulfils the condition: a check of the network runs in the background. */
export const networkWhen = (server: TestServer, isReached: (network: Network) => boolean): Promise<Network> =>
  vi.waitUntil(
    async () => {
      const network = await networkOf(server)
      return isReached(network) ? network : null
    },
    { timeout: 30_000, interval: 10 },
  )

/** The password of `admin` on a shared service: the built-in one prevents sharing. */
export const adminPassword = 'a long phrase of the admin'

/** Changes the built-in password, which prevents sharing, and waits until the service is shared. */
export async function shareWith(server: TestServer): Promise<Network> {
  const token = await server.login('admin', 'admin')
  const body = { current_password: 'admin', new_password: adminPassword }
  const reply = await server.call('PUT /api/me/password', { token, body })
  if (reply.status !== 200) throw new Error(`the password was not changed: ${reply.text}`)
  return networkWhen(server, ({ state }) => state === 'listening')
}

export type LanCall = {
  readonly port: number
  /** The trusted authority; verification is always on. */
  readonly ca: string
  readonly host?: string
  /** The Host header; by default the name and port of the address. */
  readonly hostHeader?: string
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Sends a request over TLS and verifies the certificate for `host`. */
export function lanCall(what: string, call: LanCall): Promise<Pick<Answer, 'status' | 'text'>> {
  const [method = 'GET', path = '/'] = what.split(' ', 2)
  const { port, ca, host = '127.0.0.1', token = null, headers, body, hostHeader } = call
  return new Promise((resolve, reject) => {
    const req = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        ca,
        agent: false,
        // Without it, Node verifies the certificate for the Host header.
        servername: /^[\d.:]+$/.test(host) ? '' : host,
        headers: {
          host: hostHeader ?? `${host}:${port}`,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text }))
        res.on('error', reject)
      },
    )
    req.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Opens a TLS connection that is verified with `ca`, or rejects with its error. */
export async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** Sends bytes over plain TCP and returns everything that is sent back until the connection ends. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connectPlain(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('utf8')
}

/** Sends bytes over TLS and returns everything that is sent back until the connection ends. */
export async function exchangeTls(options: ConnectionOptions, bytes: string | Buffer): Promise<string> {
  const socket = await handshake(options)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('utf8')
}

/** Runs openssl with an empty input. Returns its output; errors of the program are part of it. */
export async function openssl(...args: readonly string[]): Promise<string> {
  const child = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end()
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  await once(child, 'close')
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns true if this computer has openssl, with which some tests verify certificates a second time. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Downloads the certificate of the authority over plain HTTP. */
export async function authorityOf(port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/ca.pem`)
  return reply.text()
}
