import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import WebSocket from 'ws'
import type { Authenticator, Identity } from '../../../server/auth/identity/identity.ts'
import type { Announcement, Bus } from '../../../server/history/events/bus.ts'
import { createBus } from '../../../server/history/events/bus.ts'
import { createReplay, type Replay } from '../../../server/history/events/replay.ts'
import { fail, type Problem } from '../../../server/lib/fail.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import { createHub, type Hub, type HubDeps } from '../../../server/live/hub.ts'
import { listen } from '../../support/http/loopback.ts'
import { type Log, manualClock, quiet } from '../audit/audit-support.ts'

/** A parsed frame of any shape, including unknown ones. */
export type Frame = ReturnType<typeof JSON.parse>

export type Peer = {
  readonly socket: WebSocket
  readonly frames: Frame[]
  next(): Promise<Frame>
  /** Returns the next `count` frames. */
  take(count: number): Promise<Frame[]>
  readonly closed: Promise<{ code: number; reason: string }>
  send(frame: unknown): void
  /** Stops reading from the network, like a hung client. */
  pauseReading(): void
  resumeReading(): void
}

export type Refusal = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Frame }

const rawSocket = (socket: WebSocket): Socket => Reflect.get(socket, '_socket') as Socket

/** Connects and stores all frames. Rejects with the reply if there is no upgrade. */
export function connect(url: string, headers: Record<string, string> = {}): Promise<Peer> {
  const socket = new WebSocket(url, { headers })
  const frames: Frame[] = []
  let taken = 0
  let wake: () => void = () => undefined
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)))
    wake()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: String(reason) })
      wake()
    })
  })
  const next = async (): Promise<Frame> => {
    while (frames.length <= taken) {
      if (socket.readyState === WebSocket.CLOSED) throw new Error('the socket closed before a frame arrived')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    taken += 1
    return frames[taken - 1]
  }
  const peer: Peer = {
    socket,
    frames,
    closed,
    next,
    async take(count) {
      const received: Frame[] = []
      while (received.length < count) received.push(await next())
      return received
    },
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    pauseReading: () => void rawSocket(socket).pause(),
    resumeReading: () => void rawSocket(socket).resume(),
  }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => resolve(peer))
    socket.on('unexpected-response', (_req, res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      res.on('end', () => {
        reject({
          status: res.statusCode ?? 0,
          headers: res.headers,
          body: JSON.parse(text),
        } satisfies Refusal)
      })
    })
  })
}

export const refused = (attempt: Promise<Peer>): Promise<Refusal> =>
  attempt.then(
    () => Promise.reject(new Error('the connection was accepted')),
    (refusal: Refusal | Error) => (refusal instanceof Error ? Promise.reject(refusal) : refusal),
  )

export const identity = (name: string, overrides: Partial<Identity> = {}): Identity => ({
  actor: { kind: 'user', id: `id-of-${name}`, name, role: 'admin', sessionId: `session-of-${name}` },
  auth: 'session',
  mustChangePassword: false,
  isBlocked: false,
  expiresAt: null,
  ...overrides,
})

export type LiveService = {
  readonly hub: Hub
  readonly bus: Bus
  readonly url: string
  readonly clock: ReturnType<typeof manualClock>
  /** Identities by token; tests change it to change access. */
  readonly identities: Map<string, Identity>
  readonly lookups: { count: number }
  announce(
    frame: Extract<Announcement, { kind: 'frame' }>['frame'],
    namespace?: string | null,
    workspaceId?: string | null,
  ): void
  open(query?: string, headers?: Record<string, string>): Promise<Peer>
  /** Returns a peer after its hello. */
  openReady(query?: string, token?: string): Promise<Peer>
  close(): Promise<void>
}

/** Starts the hub with a plain HTTP server; identities and stored events are substituted. */
export async function startLive(
  options: Partial<Pick<HubDeps, 'limits' | 'config' | 'findWorkspace'>> & {
    readonly replay?: Replay
    readonly log?: Log
    readonly bus?: Bus
    readonly refuse?: (headers: IncomingHttpHeaders) => Problem | null
  } = {},
): Promise<LiveService> {
  const clock = options.log?.clock ?? manualClock()
  const bus = options.bus ?? createBus()
  const identities = new Map([
    ['ann', identity('ann')],
    ['bob', identity('bob')],
  ])
  const lookups = { count: 0 }
  const authenticator: Authenticator = {
    async identify(token, now) {
      lookups.count += 1
      if (token === null) throw fail('auth.required')
      const found = identities.get(token)
      if (found === undefined || (found.expiresAt !== null && found.expiresAt <= now))
        throw fail('auth.invalid_token')
      return found
    },
  }
  const emptyReplay: Replay = { seq: async () => 0, missed: async () => ({ kind: 'frames', frames: [] }) }
  const hub = await createHub({
    authenticator,
    bus,
    replay: options.replay ?? (options.log ? createReplay(options.log.db) : emptyReplay),
    findWorkspace:
      options.findWorkspace ??
      (async (name) =>
        ['default', 'w-1', 'team'].includes(name)
          ? { id: name === 'team' ? 'w-1' : name, slug: name === 'w-1' ? 'team' : name }
          : null),
    guard: { refuse: ({ headers }) => options.refuse?.(headers) ?? null },
    clock,
    newId: newUuid,
    logger: quiet,
    config: options.config ?? { trustedProxies: [], allowUrlToken: false },
    limits: { helloGraceMs: 15, coalesceMs: 40, ...options.limits },
  })
  const server = createServer()
  server.on('upgrade', hub.handleUpgrade)
  const loopback = await listen(server)
  const url = `${loopback.url.replace('http', 'ws')}/ws`
  const open = (query = '', headers: Record<string, string> = {}) => connect(`${url}${query}`, headers)
  return {
    hub,
    bus,
    url,
    clock,
    identities,
    lookups,
    announce: (frame, namespace = null, workspaceId = null) =>
      bus.announce({ kind: 'frame', frame, namespace, workspaceId }),
    open,
    async openReady(query = '', token = 'ann') {
      const peer = await open(query, { authorization: `Bearer ${token}` })
      expectHello(await peer.next())
      return peer
    },
    async close() {
      await hub.close()
      await loopback.close()
    },
  }
}

function expectHello(frame: Frame): void {
  if (frame.type !== 'hello') throw new Error(`expected a hello, got ${JSON.stringify(frame)}`)
}

export const published = (seq: number, key = 'greet', workspace_id = 'default') =>
  ({ type: 'prompt.published', seq, id: `p-${key}`, key, env: 'prod', version: 'v1', workspace_id }) as const

/** Resolves once everything sent to the peers so far has arrived, because a pong follows it. */
export async function awaitDelivery(...peers: Peer[]): Promise<void> {
  // Consoles get their frames at the end of the event loop iteration.
  await new Promise(setImmediate)
  await Promise.all(
    peers.map(
      (peer) =>
        new Promise<void>((resolve) => {
          peer.socket.once('pong', () => resolve())
          peer.socket.ping()
        }),
    ),
  )
}
