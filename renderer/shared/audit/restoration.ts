import type { Permission } from '../../../contract/common/roles.ts'
import type { AuditDetail, AuditResource } from '../../../contract/system/audit.ts'
import { client } from '../../lib/service/api.ts'

type Fields = Readonly<Record<string, unknown>>

/** The request that reverses the change of an audit entry. */
export type Restoration = {
  /** `version`: an older version is served again. `deleted`: a deleted prompt comes back. */
  readonly kind: 'values' | 'version' | 'deleted'
  readonly permission: Permission
  /** The values that are set; a version as the field `version`. */
  readonly values: Fields
  readonly run: () => Promise<unknown>
}

/** The fields that a request may set again, by resource. Others are derived, such as the version. */
const fieldsOf: { readonly [R in AuditResource]?: readonly string[] } = {
  prompt: ['name', 'description', 'category', 'tags', 'content', 'model', 'variables'],
  workspace: ['name', 'slug', 'description', 'protected_envs', 'capture'],
  user: ['username', 'role', 'disabled', 'must_change_password'],
  setting: [
    'workspace_creation_role',
    'run_retention_days',
    'capture',
    'payload_retention_days',
    'payload_max_mb',
    'api_token_max_days',
    'api_tokens_may_create_admins',
    'require_second_factor',
  ],
}

/** True for a value that the audit log has only as a digest. */
const isDigest = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'sha256' in value && 'length' in value

/** Returns the values before the change that can be set again; null if one of them is not in the log. */
function valuesBefore(resource: AuditResource, before: Fields): Fields | null {
  const allowed = fieldsOf[resource] ?? []
  const entries = Object.entries(before).filter(([name]) => allowed.includes(name))
  if (entries.length === 0 || entries.some(([, value]) => isDigest(value))) return null
  return Object.fromEntries(entries)
}

/** Sends the values. The service validates them again, so they are not checked here. */
function patch(resource: AuditResource, id: string, values: Fields): Promise<unknown> {
  const input = { params: { id }, body: values }
  if (resource === 'prompt') return client.prompts.update(input)
  if (resource === 'workspace') return client.workspaces.update(input)
  if (resource === 'user') return client.users.update(input)
  return client.settings.update({ body: values })
}

const permissions: { readonly [R in AuditResource]?: Permission } = {
  prompt: 'resources.write',
  agent: 'resources.write',
  workflow: 'resources.write',
  workspace: 'workspaces.edit',
  user: 'users.manage',
  setting: 'settings.manage',
}

function rollBack(resource: AuditResource, id: string, version: string): Promise<unknown> {
  const input = { params: { id }, body: { version } }
  if (resource === 'prompt') return client.promptVersions.rollback(input)
  return resource === 'agent' ? client.agents.rollback(input) : client.workflows.rollback(input)
}

/** Agents and workflows have a new version after each change; prompts only when they are published. */
const isVersioned = ({ resource, action }: AuditDetail): boolean =>
  resource === 'agent' || resource === 'workflow' || (resource === 'prompt' && action !== 'update')

/** Returns how the change of an entry can be reversed; null if it cannot. */
export function restorationOf(entry: AuditDetail): Restoration | null {
  const { resource, resource_id: id, action, before } = entry
  const permission = permissions[resource]
  if (permission === undefined) return null
  if (action === 'delete')
    return resource === 'prompt' && id !== null
      ? { kind: 'deleted', permission, values: {}, run: () => client.prompts.restore({ params: { id } }) }
      : null
  if (before === null || !/^(?:update|role_change|setting_change|publish|rollback)$/.test(action)) return null
  const { version } = before
  if (isVersioned(entry))
    return typeof version === 'string' && id !== null
      ? { kind: 'version', permission, values: { version }, run: () => rollBack(resource, id, version) }
      : null
  const values = valuesBefore(resource, before)
  if (values === null || (id === null && resource !== 'setting')) return null
  return { kind: 'values', permission, values, run: () => patch(resource, id ?? '', values) }
}
