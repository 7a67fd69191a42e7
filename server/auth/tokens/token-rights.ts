import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import type { Role } from '../../../contract/common/roles.ts'
import type { Query } from '../../db/types.ts'
import type { GatewayUse } from '../../lib/context.ts'
import { type AccountAccess, accessOf, commonAccess, type Memberships } from '../identity/access.ts'
import { findUser } from '../identity/identity.store.ts'
import { type ApiTokenRow, findTokenById } from './api-tokens.store.ts'

/** The effective access and expiry of a token, limited by those of its owner if it is bound to one. */
export type TokenRights = {
  /** Null if the token is refused. */
  readonly role: Role | null
  /** Null: every workspace. */
  readonly memberships: Memberships | null
  /** Null: the token may not use the gateway. */
  readonly gateway: GatewayUse | null
  readonly ended: ApiToken['ended']
  readonly expiresAtMs: number | null
  /** Ids of the users and tokens that the token depends on, the nearest first. */
  readonly dependsOn: readonly string[]
  /** The owner's current name. Null if the token has no owner or the owner is deleted. */
  readonly ownerName: string | null
}

/** Maximum length of a chain of tokens: a token, the token that created it, and so on. */
export const maxTokenChain = 4

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)

const refused = (rights: TokenRights, ended: ApiToken['ended']): TokenRights => ({
  ...rights,
  role: null,
  ended,
})

/** Returns the use of the gateway that a token and its owner both have. */
const commonUse = (own: GatewayUse | null, owner: GatewayUse | null): GatewayUse | null =>
  own === null || owner === null ? null : owner === 'own_key' ? owner : own

/** Reads the effective access and expiry of a token from the store. */
export async function rightsOf(q: Query, row: ApiTokenRow, now: Date, depth = 0): Promise<TokenRights> {
  const unbound: TokenRights = {
    ...(await accessOf(q, row)),
    gateway: row.gateway,
    ended: null,
    expiresAtMs: row.expires_at,
    dependsOn: row.binding === 'owner' && row.owner_id !== null ? [row.owner_id] : [],
    ownerName: null,
  }
  const bound = row.binding === 'owner' ? await limitedByOwner(q, row, unbound, now, depth) : unbound
  const isExpired = row.expires_at !== null && row.expires_at <= now.getTime()
  return isExpired ? refused(bound, 'expired') : bound
}

async function limitedByOwner(
  q: Query,
  row: ApiTokenRow,
  unbound: TokenRights,
  now: Date,
  depth: number,
): Promise<TokenRights> {
  const { owner_kind: kind, owner_id: id } = row
  const own: AccountAccess = { role: row.role, memberships: unbound.memberships }
  const limitedBy = (rights: TokenRights, owner: AccountAccess): TokenRights => ({
    ...rights,
    ...commonAccess(own, owner),
  })
  if (id === null || depth >= maxTokenChain) return refused(unbound, 'owner_deleted')
  if (kind === 'user') {
    const user = await findUser(q, id)
    if (user === undefined) return refused(unbound, 'owner_deleted')
    const named = { ...unbound, ownerName: user.username }
    return user.disabled === 1 ? refused(named, 'owner_disabled') : limitedBy(named, await accessOf(q, user))
  }
  const owner = await findTokenById(q, id)
  if (owner === undefined) return refused(unbound, 'owner_deleted')
  const ownerRights = await rightsOf(q, owner, now, depth + 1)
  const named = {
    ...unbound,
    ownerName: owner.name,
    dependsOn: [...unbound.dependsOn, ...ownerRights.dependsOn],
    gateway: commonUse(unbound.gateway, ownerRights.gateway),
    expiresAtMs: earlier(unbound.expiresAtMs, ownerRights.expiresAtMs),
  }
  const { role, memberships } = ownerRights
  return role === null ? refused(named, 'owner_ended') : limitedBy(named, { role, memberships })
}
