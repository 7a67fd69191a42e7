import { once } from 'node:events'
import { Agent, type RequestOptions, request } from 'node:https'
import type { LanIdentity } from '../../../server/lan/identity.ts'
import type { Answer, Call } from '../service.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../service.ts'
import { authorityOf, lanOn, shareWith, type TestNetwork, testNetwork } from './lan.ts'

export type LanServer = TestServer & {
  /** The origin of the listener on the network. */
  readonly lanUrl: string
  /** How the service shows itself to devices. */
  readonly identity: Pick<LanIdentity, 'name' | 'fingerprint' | 'words'>
  readonly network: TestNetwork
  /** Sends a plain request to the listener on the network; without a token unless one is given. */
  lan(what: string, options?: Call & { readonly from?: string }): Promise<Answer>
}

/** Starts the service with its listener on the network, which listens on loopback here. */
export async function startLanServer(options: TestServerOptions = {}): Promise<LanServer> {
  const network = testNetwork('127.0.0.1')
  const server = await startTestServer({
    ...options,
    env: { ...lanOn, ...options.env },
    substitutes: { network, ...options.substitutes },
  })
  const { port, name, fingerprint, words } = await shareWith(server)
  const address = `127.0.0.1:${port}`
  const agent = new Agent({ ca: await authorityOf(port), keepAlive: false })
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
    identity: { name, fingerprint: fingerprint ?? '', words: words ?? [] },
    network,
    lan: (what, call) => send(`https://${address}`, agent, what, call),
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
