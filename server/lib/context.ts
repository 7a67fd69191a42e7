import type { ActorKind, Role } from '../../contract/common/roles.ts'

/** The workspace and the environments that a limited API token may use; null: any. */
export type Limits = {
  readonly workspaceId: string | null
  readonly namespaces: readonly string[] | null
}

/** The caller. `role` is null for an anonymous request; `id` is null except for users and API tokens. */
export type Actor = {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string
  readonly role: Role | null
  /** The session of a signed-in user, else null. */
  readonly sessionId: string | null
  /** Present only for a limited API token, which may use only the routes that apps need. */
  readonly limits?: Limits
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
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string
  /**
   * The id under which an app also identifies itself on its live connection (`Promptdeck-Instance`), else
   * null.
   */
  readonly instanceId: string | null
  /** The origin of the page that sends the request; null outside browsers. The guard has accepted it. */
  readonly origin?: string | null
  readonly now: Date
}

/** Returns the context of work that the service does by itself: retention, backups, recovery. */
export function systemContext(now: Date, requestId: string): Context {
  const actor: Actor = { kind: 'system', id: null, name: 'system', role: 'admin', sessionId: null }
  return { actor, requestId, ip: '', userAgent: '', instanceId: null, now }
}
