import { once } from 'node:events'
import { framesSent } from '../../support/postgres/frames.ts'
import { serviceToken, type TestServer } from '../../support/service.ts'
import { connect, type Peer } from '../live/live-support.ts'

/** `data` of a parsed reply. */
type Data = ReturnType<typeof JSON.parse>

/** Creates a prompt and returns it; throws with the reply on failure. */
export async function makePrompt(server: TestServer, body: object): Promise<Data> {
  const reply = await server.call('POST /api/prompts', { body })
  if (reply.status !== 201) throw new Error(`creating answered ${reply.status}: ${reply.text}`)
  return reply.body.data
}

/** Sends `POST /api/prompts/:id/<what>`; returns the prompt. */
export async function act(server: TestServer, id: string, what: string, body?: object): Promise<Data> {
  const options = body === undefined ? {} : { body }
  const reply = await server.call(`POST /api/prompts/${id}/${what}`, options)
  if (reply.status >= 300) throw new Error(`${what} answered ${reply.status}: ${reply.text}`)
  return reply.body.data
}

export async function edit(server: TestServer, id: string, body: object): Promise<Data> {
  const reply = await server.call(`PATCH /api/prompts/${id}`, { body })
  if (reply.status !== 200) throw new Error(`editing answered ${reply.status}: ${reply.text}`)
  return reply.body.data
}

export const fetchServed = (server: TestServer, key: string, query = 'env=prod') =>
  server.call(`GET /api/sdk/prompts/${encodeURIComponent(key)}?${query}`)

/** Connects an app, and waits for its hello. */
export async function connectApp(server: TestServer, query: string): Promise<Peer> {
  const peer = await connect(`${server.url.replace('http', 'ws')}/ws?${query}`, {
    authorization: `Bearer ${server.config.serviceToken}`,
  })
  await peer.next()
  return peer
}

/** Resolves when a peer has the frames of all changes so far, because a pong follows them. */
export async function awaitDelivery(peer: Peer): Promise<void> {
  await framesSent(new URL(peer.socket.url).origin, serviceToken)
  const pong = once(peer.socket, 'pong')
  peer.socket.ping()
  await pong
}

/** Returns the prompt frames of a peer, as `type key version`. */
export const promptFramesOf = (peer: Peer): string[] =>
  peer.frames.flatMap((frame) =>
    String(frame.type).startsWith('prompt.') ? [`${frame.type} ${frame.key} ${frame.version}`] : [],
  )
