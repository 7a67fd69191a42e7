import type { Membership } from '../../../contract/accounts/access.ts'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import type { ApiTokenRow } from '../../auth/tokens/api-tokens.store.ts'
import { namespacesOf } from '../../auth/tokens/api-tokens.ts'
import type { TokenRights } from '../../auth/tokens/token-rights.ts'

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

export function toWire(
  row: ApiTokenRow,
  memberships: readonly Membership[],
  rights: TokenRights,
  lastUsedMs: number | null,
): ApiToken {
  const namespaces = namespacesOf(row)
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    access: row.access,
    memberships: [...memberships],
    hint: row.hint,
    workspace: row.workspace_id,
    namespaces: namespaces === null ? null : [...namespaces],
    gateway: row.gateway !== null,
    pass_through_key: row.gateway === 'own_key',
    expires_at: timeOf(row.expires_at),
    last_used_at: timeOf(lastUsedMs),
    created_by: row.created_by,
    created_by_id: row.created_by_id,
    binding: row.binding,
    owner:
      row.owner_kind === null || row.owner_id === null
        ? null
        : { kind: row.owner_kind, id: row.owner_id, name: rights.ownerName },
    effective_role: rights.role,
    effective_memberships:
      rights.memberships === null
        ? null
        : [...rights.memberships].map(([workspace_id, role]) => ({ workspace_id, role })),
    ended: rights.ended,
    created_at: new Date(row.created_at).toISOString(),
  }
}

/** Returns the fields that the audit log stores: not the secret, and nothing that changes by use or time. */
export function auditFieldsOf(token: ApiToken) {
  const {
    id: _id,
    last_used_at: _usedAt,
    effective_role: _role,
    effective_memberships: _effective,
    ended: _ended,
    ...fields
  } = token
  return fields
}
