import type { ActorKind, Role } from '../../contract/common/roles.ts'

/** The workspace and the environments that a limited API token may use; null: any. */
export type Limits = {
  readonly workspaceId: string | null
  readonly namespaces: readonly string[] | null
}

/**
 * The workspaces that exist for a caller. The members are for `server/lib/scope.ts` only, which decides
 * everything that depends on them.
 */
export type Scope = {
  /** Roles by workspace id; null: every workspace exists, and the role is `role` in each. */
  readonly memberships: ReadonlyMap<string, Role> | null
  readonly role: Role | null
  /** The role that the request requires in the workspace that it is about; null: being a member suffices. */
  readonly required: Role | null
}

/** The key that the gateway sends to a provider: that of the service, or that of the caller. */
export type GatewayUse = 'provider_key' | 'own_key'

/** The caller. `role` is null for an anonymous request; `id` is null except for users and API tokens. */
export type Actor = {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string
  readonly role: Role | null
  /**
   * Roles by workspace id, present only if the caller has access to listed workspaces; `role` is then `viewer`.
   */
  readonly memberships?: ReadonlyMap<string, Role>
  /** The session of a signed-in user, else null. */
  readonly sessionId: string | null
  /** The owner of the provider key that the gateway uses. Present only for an API token that may use the gateway. */
  readonly gateway?: GatewayUse
  /** Present only for a limited API token, which may use only the routes that apps need. */
  readonly limits?: Limits
}

/** The actor of audit entries about a caller who has not signed in. */
export const anonymous: Actor = {
  kind: 'anonymous',
  id: null,
  name: 'anonymous',
  role: null,
  sessionId: null,
}

/**
 * Returns the id under which limits count an actor: a user over all sessions, an API token or the service
 * token. All anonymous callers share one.
 */
export const principalOf = ({ kind, id }: Actor): string => (id === null ? kind : `${kind}:${id}`)

/**
 * The caller of a service method and the details of its request. The first argument; there are no request
 * globals.
 */
export type Context = {
  readonly actor: Actor
  /** The workspaces that exist for the caller. */
  readonly scope: Scope
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string
  /**
   * The id under which an app also identifies itself on its live connection (`Promptdeck-Instance`), else
   * null.
   */
  readonly instanceId: string | null
  /** The token of a paired device (`Promptdeck-Device`). Absent without the header. */
  readonly deviceToken?: string
  /**
   * The paired device that sends a request to a public route on the network. A sign-in requires that it is still
   * paired when the session is stored.
   */
  readonly pairedDeviceId?: string
  /** The secret of a pairing request (`Promptdeck-Pairing`). Absent without the header. */
  readonly pairingSecret?: string
  /** Name and version of the MCP client that sends the request. Absent for other interfaces. */
  readonly mcpClient?: string
  /** The origin of the page that sends the request; null outside browsers. The guard has accepted it. */
  readonly origin?: string | null
  readonly now: Date
}

/** Returns the context of work that the service does by itself: retention, backups, recovery. */
export function systemContext(now: Date, requestId: string): Context {
  const actor: Actor = { kind: 'system', id: null, name: 'system', role: 'admin', sessionId: null }
  const scope: Scope = { memberships: null, role: 'admin', required: null }
  return { actor, scope, requestId, ip: '', userAgent: '', instanceId: null, now }
}
