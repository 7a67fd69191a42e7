import type { z } from 'zod'
import type { CreateTokenBody } from '../../../contract/accounts/tokens.ts'
import { isReservedName } from '../../auth/reserved-names.ts'
import type { ApiTokenRow } from '../../auth/tokens/api-tokens.store.ts'
import { maxTokenChain, type TokenRights } from '../../auth/tokens/token-rights.ts'
import type { Context } from '../../lib/context.ts'
import { dayMs, minuteMs } from '../../lib/durations.ts'
import { fail, invalid } from '../../lib/fail.ts'

type Body = z.output<typeof CreateTokenBody>

export type TokenSettings = {
  readonly apiTokenMaxDays: number
  readonly apiTokensMayCreateAdmins: boolean
}

/** Tolerance for callers that compute the expiry from their own clock. */
const toleranceMs = 5 * minuteMs

/** Throws if this caller may not create this token. */
export function requireMayCreate(ctx: Context, body: Body, settings: TokenSettings): void {
  if (isReservedName(body.name)) throw invalid('name', 'This name is reserved by the service')
  const { kind } = ctx.actor
  if (kind === 'service_token' && body.binding === 'owner') {
    throw invalid('binding', 'The service token cannot own a token. Sign in as a user, or omit `binding`')
  }
  if (kind !== 'api_token') return
  if (body.role === 'admin' && !settings.apiTokensMayCreateAdmins) {
    throw fail('auth.forbidden', {
      detail:
        'An API token cannot create a token with the role admin. Sign in as an admin, or change the setting api_tokens_may_create_admins.',
    })
  }
  if (body.gateway && ctx.actor.gateway === undefined) {
    throw fail('auth.forbidden', {
      detail: 'An API token that may not use the gateway cannot create one that may. Sign in as an admin.',
    })
  }
  if (body.gateway && !body.pass_through_key && ctx.actor.gateway === 'own_key') {
    throw fail('auth.forbidden', {
      detail:
        'An API token with pass_through_key cannot create one that uses the keys of the service. Send pass_through_key too, or sign in as an admin.',
    })
  }
  if (body.binding === 'service') {
    throw fail('auth.forbidden', {
      detail:
        'An API token cannot create a token without an owner, because tokens that it creates end with it. Sign in as an admin.',
    })
  }
}

/**
 * Throws for an API token: it must not unbind a token from its account, and not give itself the use of the
 * gateway.
 */
export function rejectApiToken(ctx: Context): void {
  if (ctx.actor.kind !== 'api_token') return
  throw fail('auth.forbidden', {
    detail: 'An API token cannot change API tokens. Sign in as an admin.',
  })
}

/**
 * Returns the expiry of a new token in epoch milliseconds, and a notice if the request sets no expiry.
 * `creator`: the token that creates it.
 */
export function expiryOf(
  ctx: Context,
  body: Body,
  { apiTokenMaxDays: days }: TokenSettings,
  creator: TokenRights | null,
): { readonly expiresAt: number; readonly notice: string | null } {
  const nowMs = ctx.now.getTime()
  const latest = nowMs + days * dayMs
  const creatorExpiresAt = creator?.expiresAtMs ?? Number.POSITIVE_INFINITY
  if (!body.expires_at) {
    const expiresAt = Math.min(latest, creatorExpiresAt)
    const day = new Date(expiresAt).toISOString().slice(0, 10)
    const reason =
      expiresAt === latest
        ? `after ${days} days, the maximum lifetime of the settings`
        : 'with the token that created it'
    return { expiresAt, notice: `Without expires_at, the token expires ${reason}: on ${day}.` }
  }
  const expiresAt = Date.parse(body.expires_at)
  if (expiresAt <= nowMs) throw invalid('expires_at', 'Must be in the future')
  if (expiresAt > latest + toleranceMs) {
    throw invalid(
      'expires_at',
      `At most ${days} days from now (${new Date(latest).toISOString()}), because of the setting api_token_max_days`,
    )
  }
  if (expiresAt > creatorExpiresAt + toleranceMs) {
    throw invalid(
      'expires_at',
      `Not later than the expiry of the token that creates it (${new Date(creatorExpiresAt).toISOString()})`,
    )
  }
  return { expiresAt, notice: null }
}

/** Returns the use of the gateway to store. Throws 422 for `pass_through_key` without `gateway`. */
export function gatewayOf({
  gateway,
  pass_through_key: isPassThrough,
}: Pick<Body, 'gateway' | 'pass_through_key'>): ApiTokenRow['gateway'] {
  if (isPassThrough && !gateway) throw invalid('pass_through_key', 'Only with `gateway`')
  if (!gateway) return null
  return isPassThrough ? 'own_key' : 'provider_key'
}

type Binding = Pick<ApiTokenRow, 'binding' | 'owner_kind' | 'owner_id'>

/**
 * Returns the binding of a new token: to the user or API token that creates it, unless `service` is
 * requested.
 */
export function bindingOf(ctx: Context, body: Pick<Body, 'binding'>, creator: TokenRights | null): Binding {
  const { kind, id } = ctx.actor
  const isBound = (kind === 'user' || kind === 'api_token') && id !== null && body.binding !== 'service'
  if (!isBound) return { binding: 'service', owner_kind: null, owner_id: null }
  if (creator !== null && creator.dependsOn.length + 1 >= maxTokenChain) {
    throw fail('request.invalid', {
      detail: `A chain of tokens that own tokens can have at most ${maxTokenChain}. Sign in as an admin to create this one.`,
    })
  }
  return { binding: 'owner', owner_kind: kind, owner_id: id }
}
