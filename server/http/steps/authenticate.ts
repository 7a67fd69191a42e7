import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator, Identity } from '../../auth/identity/identity.ts'
import { network } from '../../auth/throttle.ts'
import { type Context, principalOf } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import { bearerToken } from '../access.ts'
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
}

const anonymous = { kind: 'anonymous', id: null, name: 'anonymous', role: null, sessionId: null } as const

/**
 * Creates the step that determines the caller and counts the request against the caller's quota. Public
 * endpoints are counted by address and need no token.
 */
export function createAuthenticate(deps: AuthenticateDeps) {
  const { authenticator, rateLimit } = deps

  const countAnonymous = (req: IncomingMessage, res: ServerResponse) => {
    const address = deps.remoteAddress(req)
    if (!deps.isExempt(address)) rateLimit.count(`address:${network(address)}`, res)
  }

  const identify = async (
    req: IncomingMessage,
    res: ServerResponse,
    token: string | null,
    now: Date,
  ): Promise<Identity> => {
    try {
      const identity = await authenticator.identify(token, now)
      rateLimit.count(principalOf(identity.actor), res)
      return identity
    } catch (error) {
      if (error instanceof Problem && error.status === 401) countAnonymous(req, res)
      throw error
    }
  }

  return ({ isPublic }: { readonly isPublic: boolean }): Step =>
    async (req, res, next) => {
      const { requestId, startedAt } = res.locals
      const generation = deps.openStreams.generation()
      const token = bearerToken(req.headers.authorization)
      let identity: Identity | null = null
      if (isPublic) countAnonymous(req, res)
      else identity = await identify(req, res, token, startedAt)
      const context: Context = {
        actor: identity?.actor ?? anonymous,
        requestId,
        ip: deps.remoteAddress(req),
        userAgent: (req.headers['user-agent'] ?? '').slice(0, 512),
        instanceId: instanceOf(req),
        origin: req.headers.origin ?? null,
        now: startedAt,
      }
      res.locals.caller = { identity, token, generation, context }
      next()
    }
}

/** Returns the instance id of the app, or null if the header is missing, empty or repeated. */
function instanceOf(req: IncomingMessage): string | null {
  const header = req.headers['promptdeck-instance']
  return typeof header === 'string' && header !== '' ? header.slice(0, 128) : null
}
