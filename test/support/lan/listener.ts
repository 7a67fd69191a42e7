import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LanIdentity } from '../../../server/lan/identity.ts'
import type { Answer, Call } from '../service.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../service.ts'
import { authorityOf, lanOn, networkWhen, shareWith, type TestNetwork, testNetwork } from './lan.ts'

export type LanServer = TestServer & {
  /** The origin of the listener on the network. */
  readonly lanUrl: string
  /** The identity that the service presents to devices. */
  readonly identity: Pick<LanIdentity, 'name' | 'fingerprint' | 'words'>
  readonly network: TestNetwork
  /** Sends a plain request to the listener on the network; without a token unless one is given. */
  lan(what: string, options?: Call & { readonly from?: string }): Promise<Answer>
}

type LanServerOptions = TestServerOptions & {
  /** A certificate of its own, valid by the real clock: one that the service issues follows the substituted clock. */
  readonly hasOwnCertificate?: boolean
  /** True if another instance on the same database shares the service already. */
  readonly isFurtherInstance?: boolean
  /** True if requests share connections. By default each has its own, as those of several devices. */
  readonly keepAlive?: boolean
}

/** Creates a key and a certificate for 127.0.0.1 in a folder. Returns the variables that name them. */
async function ownCertificate(folder: string): Promise<Record<string, string>> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=desk', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', cert])
  return { TLS_KEY: key, TLS_CERT: cert }
}

/** Starts the service with its listener on the network, which listens on loopback here. */
export async function startLanServer(options: LanServerOptions = {}): Promise<LanServer> {
  const network = testNetwork('127.0.0.1')
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-cert-'))
  const own = options.hasOwnCertificate ? await ownCertificate(folder) : {}
  const server = await startTestServer({
    ...options,
    env: { ...lanOn, ...own, ...options.env },
    substitutes: { network, ...options.substitutes },
  })
  const { name, fingerprint, words, ...first } = options.isFurtherInstance
    ? await networkWhen(server, ({ state }) => state === 'listening')
    : await shareWith(server)
  let port = first.port
  const origin = () => `https://127.0.0.1:${port}`
  const agent = new Agent({ ca: await authorityOf(port), keepAlive: options.keepAlive ?? false })
  return {
    ...server,
    // These change with a restart.
    get url() {
      return server.url
    },
    get config() {
      return server.config
    },
    get lanUrl() {
      return origin()
    },
    async restart(env) {
      await server.restart(env)
      port = (await networkWhen(server, ({ state }) => state === 'listening')).port
    },
    identity: { name, fingerprint: fingerprint ?? '', words },
    network,
    lan: (what, call) => send(origin(), agent, what, call),
    async close() {
      agent.destroy()
      await server.close()
      await rm(folder, { recursive: true })
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
