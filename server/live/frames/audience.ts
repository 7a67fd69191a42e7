import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { api } from '../../../contract/index.ts'
import { type ChangedEntity, everyNamespace } from '../../../contract/live/frames.ts'
import type { Settings } from '../../../contract/system/settings.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import { watchRefusal } from '../../auth/tokens/token-limits.ts'
import type { NumberedFrame } from '../../history/events/bus.ts'
import { denialOf, type PermissionOverrides } from '../../http/access.ts'
import { isVisible, scopeOf } from '../../lib/scope.ts'

export type AddressedFrame = {
  readonly frame: NumberedFrame
  /** The environment whose clients receive it; null for consoles. */
  readonly namespace: string | null
  readonly workspaceId: string | null
  /**
   * The workspaces that the frame is about, by which it is withheld from callers with listed workspaces. Empty:
   * about none, such as a setting.
   */
  readonly workspaceIds: ReadonlySet<string>
  /**
   * The users whose account or session changed. They receive the frame too, because they may read their own
   * data.
   */
  readonly userIds?: readonly string[]
  /**
   * Set for a frame that is not stored or replayed. It is sent with its client's current number instead of a
   * new one.
   */
  readonly isTransient?: true
}

/** Means every workspace: each member of a workspace receives the frame. */
export const everyWorkspaceId: ReadonlySet<string> = new Set(['*'])

type Announced = Omit<AddressedFrame, 'workspaceIds' | 'isTransient'> & { readonly fromWorkspaceId?: string }

export function addressedOf({ fromWorkspaceId, ...announced }: Announced): AddressedFrame {
  const ids = [announced.workspaceId, fromWorkspaceId].flatMap((id) => id ?? [])
  return { ...announced, workspaceIds: new Set(ids) }
}

/** The facts about a client that decide which frames it receives. */
export type Recipient = {
  readonly namespace: string
  /**
   * Null means every workspace, for a console that named none. An SDK that named none gets the default
   * workspace, because it fetches from there. An unknown name matches no frame.
   */
  readonly workspaceId: string | null
  /** Null until the client is identified. */
  readonly identity: Identity | null
}

type Typed<E> = E extends { readonly path: string } ? Endpoint : never
const asEndpoint = <E>(endpoint: E) => endpoint as Typed<E>

/**
 * The endpoint that returns an entity. A client receives its `changed` frames only if it may call that
 * endpoint.
 */
const readEndpoints: Readonly<Record<ChangedEntity, Endpoint>> = {
  run: asEndpoint(api.runs.list),
  user: asEndpoint(api.users.list),
  workspace: asEndpoint(api.workspaces.list),
  session: asEndpoint(api.users.sessions),
  client: asEndpoint(api.clients.list),
  audit: asEndpoint(api.audit.list),
  setting: asEndpoint(api.settings.get),
  backup: asEndpoint(api.backups.list),
  prompt: asEndpoint(api.prompts.list),
  agent: asEndpoint(api.agents.list),
  workflow: asEndpoint(api.workflows.list),
  // In the Playground, viewers see the list of providers.
  provider: asEndpoint(api.playground.providers),
  token: asEndpoint(api.tokens.list),
  alert: asEndpoint(api.alerts.list),
  view: asEndpoint(api.views.list),
  // Other users receive frames of their own devices only.
  device: asEndpoint(api.pairing.requests),
  pairing: asEndpoint(api.pairing.requests),
}

/** The endpoint that returns a caller's own data. */
const ownReadEndpoints: Readonly<Partial<Record<ChangedEntity, Endpoint>>> = {
  user: asEndpoint(api.auth.me),
  session: asEndpoint(api.auth.sessions),
  view: asEndpoint(api.views.list),
  audit: asEndpoint(api.audit.list),
  device: asEndpoint(api.devices.list),
}

/** The setting that changes a permission. Every signed-in user may read the permissions of roles. */
const permissionSetting: keyof Settings = 'workspace_creation_role'

/** Returns true if the frame is about a workspace of this identity. The endpoint returns the entity. */
function isOfVisibleWorkspace(
  { actor }: Identity,
  { workspaces }: Endpoint,
  { frame, workspaceIds }: AddressedFrame,
): boolean {
  if (actor.memberships === undefined || workspaces === 'none') return true
  if (workspaceIds === everyWorkspaceId) return actor.memberships.size > 0
  const scope = scopeOf(actor, null)
  const ids = [...workspaceIds]
  // An entry about two workspaces is visible only to those who see both.
  const isAboutAll = frame.type === 'changed' && frame.entity === 'audit' && frame.id !== null
  if (isAboutAll) return ids.length > 0 && ids.every((id) => isVisible(scope, id))
  return ids.some((id) => isVisible(scope, id))
}

function mayRead(identity: Identity, addressed: AddressedFrame, overrides: PermissionOverrides): boolean {
  const { frame, namespace, workspaceId, userIds } = addressed
  const mayCall = (endpoint: Endpoint) => denialOf(endpoint, identity, overrides) === null
  if (frame.type === 'resync') return true
  if (frame.type !== 'changed')
    return (
      mayCall(asEndpoint(api.sdk.prompt)) &&
      isOfVisibleWorkspace(identity, asEndpoint(api.sdk.prompt), addressed) &&
      watchRefusal(identity.actor.limits, { namespace: namespace ?? '', workspaceId }) === null
    )
  const readEndpoint = readEndpoints[frame.entity]
  if (mayCall(readEndpoint) && isOfVisibleWorkspace(identity, readEndpoint, addressed)) return true
  if (frame.entity === 'setting' && frame.id === permissionSetting) return mayCall(asEndpoint(api.roles.list))
  const ownEndpoint = ownReadEndpoints[frame.entity]
  const { kind, id } = identity.actor
  const isConcerned = workspaceId === null && kind === 'user' && id !== null && userIds?.includes(id) === true
  return ownEndpoint !== undefined && isConcerned && mayCall(ownEndpoint)
}

/**
 * Returns true if the client is in the frame's audience: its environment, its workspace, and something it may
 * read.
 */
export function isInAudience(
  recipient: Recipient,
  addressed: AddressedFrame,
  overrides: PermissionOverrides,
): boolean {
  const { namespace, workspaceId } = addressed
  const isConsole = recipient.namespace === everyNamespace
  if (isConsole !== (namespace === null)) return false
  if (!isConsole && namespace !== recipient.namespace) return false
  if (recipient.workspaceId !== null && workspaceId !== null && workspaceId !== recipient.workspaceId)
    return false
  return recipient.identity !== null && mayRead(recipient.identity, addressed, overrides)
}
