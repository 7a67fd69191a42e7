import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import { maxFrameBytes } from '../../contract/live.ts'
import type { Authenticator, Identity } from '../auth/identity.ts'
import { bearerToken } from '../http/access.ts'
import { toProblem } from '../http/problem.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, type Problem } from '../lib/fail.ts'
import { plainText } from '../lib/plain-text.ts'
import { isLoopbackAddress, isLoopbackPeer, remoteAddress, trustedProxies } from '../lib/remote-address.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { readQuery } from './identification.ts'
import type { LiveLimits } from './limits.ts'
import { refuseUpgrade } from './refuse.ts'

export type UpgradeDeps = {
  readonly guard: { refuse(headers: IncomingMessage['headers']): Problem | null }
  readonly authenticator: Authenticator
  readonly connections: Connections
  readonly clock: Clock
  readonly config: { readonly trustedProxies: readonly string[]; readonly allowUrlToken: boolean }
  readonly limits: LiveLimits
  readonly logger: Pick<Logger, 'error' | 'debug'>
  readonly generation: () => number
  readonly isStopping: () => boolean
  /** Returns why a caller may not have one more connection, or null. */
  readonly admit: (identity: Identity) => Problem | null
  readonly onIdentified: (
    connection: Connection,
    token: string,
    identity: Identity,
    generation: number,
  ) => void
  readonly onUnidentified: (connection: Connection) => void
}

/** Handles upgrades of `GET /ws`. Access is checked before the upgrade if the request has a token. */
export function createUpgrade(deps: UpgradeDeps) {
  const { guard, authenticator, connections, clock, config, limits, logger } = deps
  const isTrusted = trustedProxies(config.trustedProxies)
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxFrameBytes,
    // Compressing small frames costs more memory and time than it saves.
    perMessageDeflate: false,
  })
  /** Number of upgrades whose token is being looked up. */
  let entering = 0

  const addressOf = (req: IncomingMessage) =>
    remoteAddress({
      socketAddress: req.socket.remoteAddress,
      forwardedFor: req.headers['x-forwarded-for'],
      isTrusted,
    })

  /** Limits unidentified connections. `admit` decides on identified ones. */
  const requireRoom = (address: string, hasToken: boolean) => {
    const isExempt = isLoopbackAddress(address) || isTrusted(address)
    const isCrowded = hasToken
      ? entering >= limits.maxConnections
      : connections.countUnidentified() >= limits.maxUnidentified ||
        (!isExempt && connections.countUnidentified(address) >= limits.maxUnidentifiedPerAddress)
    if (isCrowded) {
      throw fail('rate_limited', {
        detail:
          'Too many connections have not yet said who they are. Send the token with the upgrade, or try again.',
        retryAfter: 5,
      })
    }
  }

  const requireRunning = () => {
    if (deps.isStopping())
      throw fail('store.unavailable', { detail: 'The service is stopping.', retryAfter: 5 })
  }

  const tokenOf = (req: IncomingMessage, query: URLSearchParams) => {
    const header = bearerToken(req.headers.authorization)
    const inUrl = query.get('token')
    if (header !== null || inUrl === null || inUrl === '') return { token: header, isTokenInUrl: false }
    if (config.allowUrlToken || isLoopbackPeer(req.socket.remoteAddress, req.headers))
      return { token: inUrl, isTokenInUrl: true }
    throw fail('auth.required', {
      detail:
        'A token in the URL is accepted from this machine only (or with ALLOW_URL_TOKEN=1): send it in the Authorization header or in the first frame.',
    })
  }

  const identify = async (token: string): Promise<Identity> => {
    const identity = await authenticator.identify(token, clock.now())
    if (identity.isBlocked) {
      throw fail('auth.password_change_required', { detail: 'Choose a new password first.' })
    }
    return identity
  }

  const requireUpgrade = async (req: IncomingMessage): Promise<never> => {
    requireRunning()
    const [, search = ''] = (req.url ?? '/').split(/\?(.*)/s)
    const { token } = tokenOf(req, new URLSearchParams(search))
    await authenticator.identify(token, clock.now(), { isPassive: true })
    throw fail('request.upgrade_required', {
      detail:
        'This address takes WebSocket connections only: send the headers Connection: Upgrade and Upgrade: websocket.',
    })
  }

  const enter = async (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = guard.refuse(req.headers)
    if (refusal !== null) throw refusal
    const [path, search = ''] = (req.url ?? '/').split(/\?(.*)/s)
    if (path !== '/ws') throw fail('not_found', { detail: 'WebSockets are served at /ws.' })
    requireRunning()
    const query = new URLSearchParams(search)
    const { token, isTokenInUrl } = tokenOf(req, query)
    const introduction = readQuery(query)
    const remoteAddr = addressOf(req)
    const generation = deps.generation()
    requireRoom(remoteAddr, token !== null)
    entering += 1
    let identity: Identity | null = null
    try {
      identity = token === null ? null : await identify(token)
    } finally {
      entering -= 1
    }
    requireRunning()
    if (socket.destroyed) return
    const noRoom = identity === null ? null : deps.admit(identity)
    if (noRoom !== null) throw noRoom
    server.handleUpgrade(req, socket, head, (ws) => {
      const userAgent = plainText(req.headers['user-agent'] ?? '', 256)
      const connection = connections.open({ socket: ws, remoteAddr, userAgent, introduction, isTokenInUrl })
      if (token !== null && identity !== null) deps.onIdentified(connection, token, identity, generation)
      else deps.onUnidentified(connection)
    })
  }

  const handleUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const onError = (err: Error) => logger.debug({ err }, 'an upgrade was broken off')
    socket.on('error', onError)
    enter(req, socket, head)
      .catch((error: unknown) => {
        const problem = toProblem(error)
        if (problem.status >= 500) logger.error({ err: problem.extra.cause ?? problem }, 'an upgrade failed')
        refuseUpgrade(socket, problem)
      })
      .finally(() => socket.off('error', onError))
  }

  return {
    handleUpgrade,
    /** Rejects a request to /ws without an upgrade: with 426, or 401 without a valid token. */
    requireUpgrade,
  }
}
