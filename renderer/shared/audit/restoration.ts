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
  prompt: [
    'name',
    'description',
    'category',
    'tags',
    'type',
    'content',
    'messages',
    'model',
    'params',
    'variables',
  ],
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

/** Fields whose value may lack members in the log, because members with the name of a secret are not recorded. */
const openFields = ['tool_calls', 'tools', 'response_format']

/** Returns true if the audit log does not have the whole value: long text is a digest there. */
function isIncomplete(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('sha256' in value && 'length' in value) return true
  return Object.entries(value).some(([name, member]) => openFields.includes(name) || isIncomplete(member))
}

/** Returns the values before the change that can be set again; null if one of them is not in the log. */
function valuesBefore(resource: AuditResource, before: Fields): Fields | null {
  const allowed = fieldsOf[resource] ?? []
  const isChat = resource === 'prompt' && Array.isArray(before['messages'])
  const entries = Object.entries(before).filter(
    // The content of a chat prompt is derived from its messages.
    ([name]) => allowed.includes(name) && !(isChat && name === 'content'),
  )
  if (entries.length === 0 || entries.some(([, value]) => isIncomplete(value))) return null
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

/** Returns the permission that setting the values of a workspace needs. */
const permissionOfWorkspace = (values: Fields): Permission =>
  'capture' in values
    ? 'settings.manage'
    : 'protected_envs' in values
      ? 'environments.protected'
      : 'workspaces.edit'

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
  return {
    kind: 'values',
    permission: resource === 'workspace' ? permissionOfWorkspace(values) : permission,
    values,
    run: () => patch(resource, id ?? '', values),
  }
}
