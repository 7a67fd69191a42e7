import { closeCodes, everyNamespace } from '../../../contract/live/frames.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { watchRefusal, watchWarning } from '../../auth/tokens/token-limits.ts'
import { isVisible, scopeOf } from '../../lib/scope.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { Identification } from './identification.ts'

export type FindWorkspace = (
  idOrSlug: string,
) => Promise<{ readonly id: string; readonly slug: string } | null>

export type BindingDeps = {
  readonly connections: Pick<Connections, 'close'>
  readonly findWorkspace: FindWorkspace
}

/**
 * Applies a client's identification to its session. Returns the warnings for it, or null if its token is
 * limited to another place: the connection is then closed, and nothing of that place is sent.
 */
export async function bindWorkspace(
  deps: BindingDeps,
  connection: Connection,
  identification: Identification,
): Promise<readonly string[] | null> {
  const { session } = connection
  if (session === null) return []
  const requested = identification.workspace
  const isEveryWorkspace = requested === null && identification.namespace === everyNamespace
  const workspace = isEveryWorkspace
    ? null
    : await findVisible(deps, connection, requested ?? defaultWorkspaceId)
  const workspaceId = isEveryWorkspace ? null : (workspace?.id ?? requested ?? defaultWorkspaceId)
  if (!isAllowedOrClosed(deps, connection, identification.namespace, workspaceId)) return null
  session.entry.identification = identification
  session.workspaceId = workspaceId
  session.entry.workspace = workspace?.slug ?? requested ?? defaultWorkspaceId
  session.entry.workspaceId = workspace?.id ?? null
  const limitWarning = watchWarning(connection.access?.identity.actor.limits, identification.namespace)
  const warnings = [...identification.warnings, ...(limitWarning === null ? [] : [limitWarning])]
  if (workspace !== null || isEveryWorkspace) return warnings
  const name = requested ?? defaultWorkspaceId
  return [...warnings, `Workspace "${name}" not found: no events are sent until it is created`]
}

/** Returns the workspace; null if none exists for the caller. */
async function findVisible(
  { findWorkspace }: BindingDeps,
  { access }: Connection,
  idOrSlug: string,
): ReturnType<FindWorkspace> {
  const found = await findWorkspace(idOrSlug)
  const isFound =
    found !== null && access !== null && isVisible(scopeOf(access.identity.actor, null), found.id)
  return isFound ? found : null
}

/**
 * Looks up the workspace of a session again, because one may have been created or renamed, or the access of the
 * client has changed.
 */
export async function rebindWorkspace(deps: BindingDeps, connection: Connection): Promise<void> {
  const { session } = connection
  if (session === null || session.workspaceId === null) return
  const { namespace, workspace: requested } = session.entry.identification
  const workspace =
    (await findVisible(deps, connection, session.workspaceId)) ??
    (await findVisible(deps, connection, requested ?? defaultWorkspaceId))
  session.entry.workspaceId = workspace?.id ?? null
  if (workspace === null) return
  if (!isAllowedOrClosed(deps, connection, namespace, workspace.id)) return
  session.workspaceId = workspace.id
  session.entry.workspace = workspace.slug
}

/** Returns true if the token allows this place. Otherwise closes the connection and returns false. */
function isAllowedOrClosed(
  { connections }: BindingDeps,
  connection: Connection,
  namespace: string,
  workspaceId: string | null,
): boolean {
  const refusal = watchRefusal(connection.access?.identity.actor.limits, { namespace, workspaceId })
  if (refusal !== null) connections.close(connection, closeCodes.signedOut, refusal)
  return refusal === null
}
