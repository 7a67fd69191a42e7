import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server as TlsServer } from 'node:tls'
import { promisify } from 'node:util'
import type { PairingNetwork } from '../../server/features/pairing/pairing.wire.ts'
import { markLan } from '../../server/http/listener.ts'
import type { Answer, Call } from './service.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './service.ts'

/** The identity of the service in tests. */
export const identity = {
  name: 'studio',
  fingerprint: Array.from({ length: 32 }, (_, index) =>
    index.toString(16).padStart(2, '0').toUpperCase(),
  ).join(':'),
  words: ['ladder', 'orbit', 'velvet', 'cactus'],
  authorityPem: '',
} as const

export type LanServer = TestServer & {
  /** The origin of the listener on the network. */
  readonly lanUrl: string
  /** Sends a plain request to the listener on the network; without a token unless one is given. */
  lan(what: string, options?: Call & { readonly from?: string }): Promise<Answer>
}

/** Creates a key and a certificate for 127.0.0.1 in files of a temporary folder, and reads them. */
async function certificate(): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-cert-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=studio', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', cert])
  const texts = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  await rm(folder, { recursive: true })
  return texts
}

/** Accepts TLS connections as the listener on the network does, and passes them to the service. */
async function listenOnLan(target: () => Server, keys: { key: string; cert: string }): Promise<TlsServer> {
  const listener = createServer(keys, (socket) => {
    markLan(socket)
    target().emit('connection', socket)
  })
  // A client that rejects the certificate, as some tests do on purpose.
  listener.on('tlsClientError', () => undefined)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return listener
}

/** Starts the service with a listener on the network: real TLS on loopback, with a certificate of its own. */
export async function startLanServer(options: TestServerOptions = {}): Promise<LanServer> {
  const keys = await certificate()
  let http: Server | undefined
  const listener = await listenOnLan(() => {
    if (http === undefined) throw new Error('the service does not listen')
    return http
  }, keys)
  const address = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  const network = (): PairingNetwork => ({ identity, addresses: [address] })
  const server = await startTestServer({
    ...options,
    substitutes: {
      network,
      onServer: (started) => {
        http = started
      },
      ...options.substitutes,
    },
  })
  const agent = new Agent({ ca: keys.cert, keepAlive: false })
  return {
    ...server,
    // These change with a restart.
    get url() {
      return server.url
    },
    get config() {
      return server.config
    },
    lanUrl: `https://${address}`,
    lan: (what, call) => send(`https://${address}`, agent, what, call),
    async close() {
      await server.close()
      listener.close()
    },
  }
}

async function send(
  origin: string,
  agent: Agent,
  what: string,
  { token = null, body, headers, from }: Call & { readonly from?: string } = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = what.split(' ', 2)
  const options: RequestOptions = {
    method,
    agent,
    ...(from !== undefined && { localAddress: from }),
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  }
  const sent = request(new URL(path, origin), options)
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  const isJson = /json/.test(response.headers['content-type'] ?? '')
  return {
    status: response.statusCode,
    headers: new Headers(response.headers),
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}
