import type { IncomingMessage, ServerResponse } from 'node:http'
import { deviceHeader, pairingHeader } from '../../../contract/accounts/pairing.ts'
import type { Authenticator, Identity } from '../../auth/identity/identity.ts'
import { networkOf } from '../../auth/throttle.ts'
import { type Context, principalOf } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import { scopeOf } from '../../lib/scope.ts'
import { bearerToken } from '../../lib/text/bearer-token.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import type { OpenStreams } from '../open-streams.ts'
import type { Step } from './request-state.ts'

export type AuthenticateDeps = {
  readonly authenticator: Authenticator
  readonly openStreams: Pick<OpenStreams, 'generation'>
  readonly rateLimit: RateLimit
  readonly remoteAddress: (req: IncomingMessage) => string
  /** Returns true for addresses without limits: loopback and trusted proxies. */
  readonly isExempt: (address: string) => boolean
  /** Returns true for requests over plain HTTP from this machine itself, not forwarded by a proxy. */
  readonly isLocalPeer: (req: IncomingMessage) => boolean
}

const anonymous = {
  kind: 'anonymous',
  id: null,
  name: 'anonymous',
  role: null,
  memberships: new Map(),
  sessionId: null,
} as const

export type AuthenticateOptions = {
  readonly isPublic: boolean
  /** Returns the token of a request. By default that of the header `Authorization`. */
  readonly tokenOf?: (req: IncomingMessage) => string | null
}

const bearerOf = ({ headers }: IncomingMessage): string | null => bearerToken(headers.authorization)

/**
 * Creates the step that determines the caller and counts the request against the caller's quota. Public
 * endpoints are counted by address and need no token.
 */
export function createAuthenticate(deps: AuthenticateDeps) {
  const { authenticator, rateLimit } = deps

  const countAnonymous = (req: IncomingMessage, res: ServerResponse) => {
    const address = deps.remoteAddress(req)
    if (!deps.isExempt(address)) rateLimit.count(`address:${networkOf(address)}`, res)
  }

  const identify = async (
    req: IncomingMessage,
    res: ServerResponse,
    token: string | null,
    now: Date,
  ): Promise<Identity> => {
    try {
      const identity = await authenticator.identify(token, now, { isLocalPeer: () => deps.isLocalPeer(req) })
      rateLimit.count(principalOf(identity.actor), res)
      return identity
    } catch (error) {
      if (error instanceof Problem && error.status === 401) countAnonymous(req, res)
      throw error
    }
  }

  return ({ isPublic, tokenOf = bearerOf }: AuthenticateOptions): Step =>
    async (req, res, next) => {
      const { requestId, startedAt, pairedDeviceId } = res.locals
      const generation = deps.openStreams.generation()
      const token = tokenOf(req)
      let identity: Identity | null = null
      if (isPublic) countAnonymous(req, res)
      else identity = await identify(req, res, token, startedAt)
      const actor = identity?.actor ?? anonymous
      const context: Context = {
        actor,
        scope: scopeOf(actor, null),
        requestId,
        ip: deps.remoteAddress(req),
        userAgent: (req.headers['user-agent'] ?? '').slice(0, 512),
        instanceId: instanceOf(req),
        ...secretsOf(req),
        ...(pairedDeviceId !== null && { pairedDeviceId }),
        origin: req.headers.origin ?? null,
        now: startedAt,
      }
      res.locals.caller = { identity, token, generation, context }
      next()
    }
}

/** Returns the secrets of a paired device and of a pairing request, if the request has them. */
function secretsOf({ headers }: IncomingMessage): Pick<Context, 'deviceToken' | 'pairingSecret'> {
  const device = headers[deviceHeader.toLowerCase()]
  const pairing = headers[pairingHeader.toLowerCase()]
  return {
    ...(typeof device === 'string' && { deviceToken: device }),
    ...(typeof pairing === 'string' && { pairingSecret: pairing }),
  }
}

/** Returns the instance id of the app, or null if the header is missing, empty or repeated. */
function instanceOf(req: IncomingMessage): string | null {
  const header = req.headers['promptdeck-instance']
  return typeof header === 'string' && header !== '' ? header.slice(0, 128) : null
}
