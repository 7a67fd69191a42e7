import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { api } from '../../../contract/index.ts'
import { type ChangedEntity, everyNamespace } from '../../../contract/live/frames.ts'
import type { Settings } from '../../../contract/system/settings.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import { watchRefusal } from '../../auth/tokens/token-limits.ts'
import type { NumberedFrame } from '../../history/events/bus.ts'
import { denialOf, type PermissionOverrides } from '../../http/access.ts'

/** A frame and its audience. */
export type AddressedFrame = {
  readonly frame: NumberedFrame
  /** The environment whose clients receive it; null for consoles. */
  readonly namespace: string | null
  readonly workspaceId: string | null
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
  device: asEndpoint(api.devices.list),
}

/** The setting that changes a permission. Every signed-in user may read the permissions of roles. */
const permissionSetting: keyof Settings = 'workspace_creation_role'

/** Returns true if this identity may read the entity of the frame. */
function mayRead(identity: Identity, addressed: AddressedFrame, overrides: PermissionOverrides): boolean {
  const { frame, namespace, workspaceId, userIds } = addressed
  const mayCall = (endpoint: Endpoint) => denialOf(endpoint, identity, overrides) === null
  if (frame.type === 'resync') return true
  if (frame.type !== 'changed')
    return (
      mayCall(asEndpoint(api.sdk.prompt)) &&
      watchRefusal(identity.actor.limits, { namespace: namespace ?? '', workspaceId }) === null
    )
  if (mayCall(readEndpoints[frame.entity])) return true
  if (frame.entity === 'setting' && frame.id === permissionSetting) return mayCall(asEndpoint(api.roles.list))
  const ownEndpoint = ownReadEndpoints[frame.entity]
  const { kind, id } = identity.actor
  const isConcerned = kind === 'user' && id !== null && userIds?.includes(id) === true
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
