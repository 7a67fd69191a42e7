import type { Environment } from '../../contract/live.ts'
import type { ActorKind, Role } from '../../contract/roles.ts'

/** What the token of an app is for; null: any. */
export type Limits = {
  readonly workspaceId: string | null
  readonly namespaces: readonly Environment[] | null
}

/** Who acts. `role` is null for an anonymous request; `id` is null for everyone but users and API tokens. */
export type Actor = {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string
  readonly role: Role | null
  /** The session of a signed-in user, else null. */
  readonly sessionId: string | null
  /** Only of an API token that is limited; it reaches nothing but what an app needs. */
  readonly limits?: Limits
}

/**
 * Returns the name under which limits count an actor: a user over all sessions, an API token, the service token. Anonymous
 * callers share one.
 */
export const principalOf = ({ kind, id }: Actor): string => (id === null ? kind : `${kind}:${id}`)

/** What every service call is told about its caller. A value, passed first; there are no request globals. */
export type Context = {
  readonly actor: Actor
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string
  /** What an app calls itself on its live connection too (`Promptdeck-Instance`), else null. */
  readonly instanceId: string | null
  readonly now: Date
}

/** The service acting on its own: retention, backups, recovery. */
export function systemContext(now: Date, requestId: string): Context {
  const actor: Actor = { kind: 'system', id: null, name: 'system', role: 'admin', sessionId: null }
  return { actor, requestId, ip: '', userAgent: '', instanceId: null, now }
}
