import { X509Certificate } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createAuthority, createServerCertificate } from '../../../sdk/conformance/lib/certificates.mjs'

type Authority = Awaited<ReturnType<typeof createAuthority>>

/** A request that the server received over TLS. */
export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type LanServer = {
  /** `127.0.0.1:<port>`. */
  readonly address: string
  readonly origin: string
  readonly authority: Authority
  readonly fingerprint: string
  readonly received: readonly Received[]
  /** The status of the pairing request from now on. */
  answer(status: 'pending' | 'approved' | 'refused' | 'expired'): void
  /** Resolves when a pairing request has arrived. */
  readonly requested: Promise<void>
  close(): Promise<void>
}

export type LanServerOptions = {
  readonly name?: string
  /** Facts of the server's certificate, see `createServerCertificate`. */
  readonly certificate?: Parameters<typeof createServerCertificate>[1]
  /** The CA that plain HTTP sends; by default the CA that issued the certificate. */
  readonly announced?: Authority
  /** Status and text of plain `/ca.pem` in place of the CA. */
  readonly plainReply?: { readonly status: number; readonly text: string }
  /** Listen at this port. */
  readonly port?: number
}

export const rightCode = 'K7QM-2XPD'
export const deviceToken = 'pd_api_device-token-of-the-test'
const requestId = '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b31'
const requestSecret = 'request-secret-of-the-test'
const firstTlsByte = 0x16

/**
 * A server with the routes of a service that is shared on the local network: TLS with certificates of its own, the
 * trust page over plain HTTP on the same port, pairing, sharing and devices. For tests of clients only.
 */
export async function startLanServer(options: LanServerOptions = {}): Promise<LanServer> {
  const { name = 'studio', announced } = options
  const authority = await createAuthority('Promptdeck studio')
  const received: Received[] = []
  const state = { status: 'pending', network: networkOf(false) }
  let onRequested: () => void = () => undefined
  const requested = new Promise<void>((resolve) => {
    onRequested = resolve
  })

  const answerTls = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const url = new URL(req.url ?? '/', 'https://localhost')
    const body = await readJson(req)
    const entry = { method: req.method ?? '', path: url.pathname, headers: req.headers, body }
    received.push(entry)
    const reply = route({ entry, name, state })
    if (entry.method === 'POST' && entry.path === '/api/pair') onRequested()
    res.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body))
  }
  const tls = createTlsServer(await createServerCertificate(authority, options.certificate), (req, res) => {
    void answerTls(req, res)
  })
  const plain = createHttpServer((req, res) => {
    const { status, text } = options.plainReply ?? { status: 200, text: (announced ?? authority).pem }
    const isCa = req.url === '/ca.pem'
    const headers = {
      location: 'http://192.0.2.1/',
      ...(status === 101 && { connection: 'upgrade', upgrade: 'x' }),
    }
    res.writeHead(isCa ? status : 200, headers).end(isCa ? text : 'trust page')
  })

  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      socket.unshift(chunk)
      const target = chunk[0] === firstTlsByte ? tls : plain
      target.emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address,
    origin: `https://${address}`,
    authority,
    fingerprint: new X509Certificate(authority.pem).fingerprint256,
    received,
    requested,
    answer(status) {
      state.status = status
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

type Routed = {
  readonly entry: Received
  readonly name: string
  readonly state: { status: string; network: ReturnType<typeof networkOf> }
}
type Reply = { readonly status: number; readonly body: unknown }

function route(routed: Routed): Reply {
  const { entry, name, state } = routed
  const { method, path, headers, body } = entry
  if (path === '/health') return { status: 200, body: { ok: true, status: 'ok', version: '0.1.0' } }
  if (method === 'POST' && path === '/api/pair') return requestReply(body, name)
  if (path === `/api/pair/${requestId}`) {
    if (headers['promptdeck-pairing'] !== requestSecret) return problem(404, 'not_found', 'Not found.')
    const token = state.status === 'approved' ? { token: deviceToken } : {}
    return { status: 200, body: { status: state.status, ...token } }
  }
  if (headers.authorization === `Bearer ${deviceToken}`) return routeForDevice(routed)
  return problem(401, 'auth.invalid_token', 'The token is unknown, expired or revoked. Sign in again.')
}

function routeForDevice({ entry: { method, path, body }, state }: Routed): Reply {
  if (path === '/api/me')
    return { status: 200, body: { username: 'laptop', role: 'admin', auth: 'api_token' } }
  if (path === '/api/network') {
    if (method === 'PUT') state.network = networkOf((body as { enabled: boolean }).enabled)
    return { status: 200, body: { data: state.network } }
  }
  if (path === '/api/devices') return { status: 200, body: { data: [device], total: 1, next_cursor: null } }
  if (method === 'DELETE' && path === `/api/devices/${device.id}`) return { status: 200, body: { ok: true } }
  return problem(404, 'not_found', 'There is no such device.')
}

function requestReply(body: unknown, name: string): Reply {
  const { code, secret } = body as { code?: string; secret?: string }
  if (code !== rightCode && secret !== 'one-time-secret')
    return problem(403, 'pairing.wrong_code', 'The code is wrong, expired or used.')
  const words = ['ladder', 'orbit', 'velvet', 'cactus']
  const expires_at = new Date(Date.now() + 300_000).toISOString()
  return {
    status: 202,
    body: { request_id: requestId, request_secret: requestSecret, name, words, expires_at },
  }
}

const networkOf = (enabled: boolean) => ({
  enabled,
  state: enabled ? 'listening' : 'off',
  port: 4743,
  interfaces: [{ name: 'eth0', address: '192.0.2.20', selected: true }],
  addresses: enabled ? ['https://studio.local:4743'] : [],
  name: 'studio',
  fingerprint: enabled ? 'AA:BB' : null,
  words: enabled ? ['ladder', 'orbit', 'velvet', 'cactus'] : [],
  certificate: enabled ? { not_after: '2027-02-19T09:30:00.000Z', source: 'local' } : null,
  blockers: [],
})

const device = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21',
  name: 'Edda’s \u001b[31mphone',
  kind: 'browser',
  user: { id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11', username: 'edda' },
  address: '192.0.2.17',
  last_seen_at: '2026-11-21T09:41:12.400Z',
}

const problem = (status: number, code: string, detail: string): Reply => ({
  status,
  body: {
    type: `urn:problem:${code}`,
    title: code,
    status,
    detail,
    code,
    error: detail,
    request_id: 'req_1',
    instance: '/',
  },
})

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
