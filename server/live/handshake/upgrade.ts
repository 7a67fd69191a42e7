import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import { maxFrameBytes } from '../../../contract/live/frames.ts'
import type { Authenticator, Identity } from '../../auth/identity/identity.ts'
import { isLan } from '../../http/listener.ts'
import { toProblem } from '../../http/problem.ts'
import type { Clock } from '../../lib/clock.ts'
import { fail, type Problem } from '../../lib/fail.ts'
import { isLoopbackAddress, isLoopbackPeer, remoteAddress, trustedProxies } from '../../lib/remote-address.ts'
import { bearerToken } from '../../lib/text/bearer-token.ts'
import { plainText } from '../../lib/text/plain-text.ts'
import type { Connection } from '../connections/connection.ts'
import type { Connections } from '../connections/connections.ts'
import { parseHelloQuery } from '../connections/identification.ts'
import type { LiveLimits } from '../connections/limits.ts'
import { protocolToken, selectProtocol } from './protocol-token.ts'
import { rejectUpgrade } from './reject.ts'
import type { Caller } from './session.ts'

export type UpgradeDeps = {
  readonly guard: { refuse(req: IncomingMessage): Problem | null }
  readonly authenticator: Authenticator
  readonly caughtUp: (() => Promise<void>) | undefined
  readonly connections: Connections
  readonly clock: Clock
  readonly config: { readonly trustedProxies: readonly string[]; readonly allowUrlToken: boolean }
  readonly limits: LiveLimits
  readonly logger: Pick<Logger, 'error' | 'debug'>
  readonly generation: () => number
  readonly isStopping: () => boolean
  /** Returns why a caller may not have one more connection, or null. */
  readonly admit: (identity: Identity) => Problem | null
  readonly onIdentified: (connection: Connection, caller: Caller) => void
  readonly onUnidentified: (connection: Connection) => void
}

type State = UpgradeDeps & {
  readonly server: WebSocketServer
  readonly isTrusted: ReturnType<typeof trustedProxies>
  /** Number of upgrades whose token is being looked up. */
  pendingUpgrades: number
}

/** Handles upgrades of `GET /ws`. Access is checked before the upgrade if the request has a token. */
export function createUpgrade(deps: UpgradeDeps) {
  const state: State = {
    ...deps,
    isTrusted: trustedProxies(deps.config.trustedProxies),
    pendingUpgrades: 0,
    server: new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: maxFrameBytes,
      // Compressing small frames costs more memory and time than it saves.
      perMessageDeflate: false,
      handleProtocols: selectProtocol,
    }),
  }
  return {
    handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      const onError = (err: Error) => deps.logger.debug({ err }, 'an upgrade was aborted')
      socket.on('error', onError)
      upgrade(state, req, socket, head)
        .catch((error: unknown) => {
          const problem = toProblem(error)
          if (problem.status >= 500)
            deps.logger.error({ err: problem.extra.cause ?? problem }, 'an upgrade failed')
          rejectUpgrade(socket, problem)
        })
        .finally(() => socket.off('error', onError))
    },

    /** Rejects a request to /ws without an upgrade: with 426, or 401 without a valid token. */
    async requireUpgrade(req: IncomingMessage): Promise<never> {
      requireRunning(state)
      const { token } = tokenOf(state, req, addressOf(req).query)
      await deps.authenticator.identify(token, deps.clock.now(), { isPassive: true })
      throw fail('request.upgrade_required', {
        detail:
          'This address accepts WebSocket connections only: send the headers Connection: Upgrade and Upgrade: websocket.',
      })
    },
  }
}

async function upgrade(state: State, req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const refusal = state.guard.refuse(req)
  if (refusal !== null) throw refusal
  const { path, query } = addressOf(req)
  if (path !== '/ws') throw fail('not_found', { detail: 'WebSockets are served at /ws.' })
  requireRunning(state)
  const { token, isTokenInUrl } = tokenOf(state, req, query)
  // A device on the network gets no connection before its token is known to be valid.
  if (token === null && isLan(req)) throw fail('auth.required')
  const helloFields = parseHelloQuery(query)
  const remoteAddr = remoteAddress(req, state.isTrusted)
  const generation = state.generation()
  requireCapacity(state, remoteAddr, token !== null)
  const caller = token === null ? null : { token, identity: await identify(state, token), generation }
  requireRunning(state)
  if (socket.destroyed) return
  const denial = caller === null ? null : state.admit(caller.identity)
  if (denial !== null) throw denial
  state.server.handleUpgrade(req, socket, head, (ws) => {
    const userAgent = plainText(req.headers['user-agent'] ?? '', 256)
    const connection = state.connections.open({
      socket: ws,
      remoteAddr,
      userAgent,
      helloFields,
      isTokenInUrl,
    })
    if (caller !== null) state.onIdentified(connection, caller)
    else state.onUnidentified(connection)
  })
}

function addressOf(req: IncomingMessage): { path: string; query: URLSearchParams } {
  const [path = '', search = ''] = (req.url ?? '/').split(/\?(.*)/s)
  return { path, query: new URLSearchParams(search) }
}

function requireRunning({ isStopping }: State): void {
  if (isStopping()) throw fail('store.unavailable', { detail: 'The service is stopping.', retryAfter: 5 })
}

/** Limits unidentified connections and pending token look-ups. `admit` decides on identified connections. */
function requireCapacity(state: State, address: string, hasToken: boolean): void {
  const { limits, connections } = state
  const isExempt = isLoopbackAddress(address) || state.isTrusted(address)
  const isFull = hasToken
    ? state.pendingUpgrades >= limits.maxConnections
    : connections.countUnidentified() >= limits.maxUnidentified ||
      (!isExempt && connections.countUnidentified(address) >= limits.maxUnidentifiedPerAddress)
  if (!isFull) return
  throw fail('rate_limited', {
    detail: 'Too many connections are not authenticated yet. Send the token with the upgrade, or try again.',
    retryAfter: 5,
  })
}

function tokenOf(
  { config }: State,
  req: IncomingMessage,
  query: URLSearchParams,
): { token: string | null; isTokenInUrl: boolean } {
  const header = bearerToken(req.headers.authorization) ?? protocolToken(req)
  const inUrl = query.get('token')
  if (header !== null || inUrl === null || inUrl === '') return { token: header, isTokenInUrl: false }
  const isLocal = !isLan(req) && isLoopbackPeer(req.socket.remoteAddress, req.headers)
  if (config.allowUrlToken || isLocal) return { token: inUrl, isTokenInUrl: true }
  throw fail('auth.required', {
    detail:
      'A token in the URL is only accepted from this machine (or with ALLOW_URL_TOKEN=1). Send it in the Authorization header or in the first frame.',
  })
}

async function identify(state: State, token: string): Promise<Identity> {
  state.pendingUpgrades += 1
  try {
    const identity = await state.authenticator.identify(token, state.clock.now())
    // Another instance may have announced more frames to the client than this one has.
    await state.caughtUp?.()
    if (!identity.isBlocked) return identity
    if (identity.mustSetUpSecondFactor)
      throw fail('auth.second_factor_setup_required', { detail: 'Set up two-factor authentication first.' })
    throw fail('auth.password_change_required', { detail: 'Choose a new password first.' })
  } finally {
    state.pendingUpgrades -= 1
  }
}
