import type { Environment } from '../../../contract/common/environments.ts'
import { everyNamespace } from '../../../contract/live/frames.ts'
import type { Context, Limits } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'

const otherWorkspace = 'This token is for another workspace'
const only = (namespaces: readonly string[]): string => `This token is for ${namespaces.join(', ')} only`

/**
 * Returns the reason why a limited token may not watch an environment, or null. `workspaceId` null: all
 * workspaces.
 */
export function watchRefusal(
  limits: Limits | undefined,
  watched: { readonly namespace: string; readonly workspaceId: string | null },
): string | null {
  if (limits === undefined) return null
  const { namespaces, workspaceId } = limits
  if (namespaces !== null && !namespaces.some((name) => name === watched.namespace)) return only(namespaces)
  return workspaceId === null || workspaceId === watched.workspaceId ? null : otherWorkspace
}

/** Returns a warning for a limited client that watches all environments, or null. */
export function watchWarning(limits: Limits | undefined, namespace: string): string | null {
  return limits !== undefined && namespace === everyNamespace
    ? 'A limited token receives no changes of the whole service: use the environment dev, test or prod'
    : null
}

/** Returns the 403 for an actor whose token is for another workspace; null for all other actors. */
export function workspaceRefusal(ctx: Context, workspaceId: string) {
  const limit = ctx.actor.limits?.workspaceId ?? null
  return limit === null || limit === workspaceId
    ? null
    : fail('auth.forbidden', { detail: `${otherWorkspace}.` })
}

/** Returns the 403 for an actor whose token is not for that environment; null for all other actors. */
export function namespaceRefusal(ctx: Context, namespace: Environment) {
  const limit = ctx.actor.limits?.namespaces ?? null
  return limit === null || limit.includes(namespace)
    ? null
    : fail('auth.forbidden', { detail: `${only(limit)}.` })
}

/** Throws the 403 for an actor whose token is not for that environment. */
export function requireNamespace(ctx: Context, namespace: Environment): void {
  const refusal = namespaceRefusal(ctx, namespace)
  if (refusal !== null) throw refusal
}
