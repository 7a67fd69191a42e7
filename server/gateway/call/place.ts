import { type Environment, environments } from '../../../contract/common/environments.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { requireNamespace, workspaceRefusal } from '../../auth/tokens/token-limits.ts'
import type { Query } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { requireInScope, visibleIds } from '../../lib/scope.ts'
import { findWorkspace, findWorkspaceById } from '../../resources/workspaces.read.ts'
import type { RunHeaders } from '../request/run-headers.ts'

const notFound = 'Workspace not found.'

/** The workspace of a request that names none: the only one of its token, else the default one. */
function ownWorkspace({ actor, scope }: Context): string {
  const ids = visibleIds(scope)
  const [only] = ids?.length === 1 ? ids : []
  return actor.limits?.workspaceId ?? only ?? defaultWorkspaceId
}

/** The environment of a served prompt that names none: the only one of the token, else `prod`. */
export function defaultEnv({ actor }: Context): Environment {
  const names = actor.limits?.namespaces ?? []
  return (names.length === 1 ? environments.find((env) => env === names[0]) : undefined) ?? 'prod'
}

const idOf = async (q: Query, name: string): Promise<string | null> =>
  (await findWorkspace(q, name))?.id ?? null

/** Returns the id if there is such a workspace, else null. The default workspace cannot be deleted. */
const existing = async (q: Query, id: string): Promise<string | null> =>
  id === defaultWorkspaceId || (await findWorkspaceById(q, id)) !== undefined ? id : null

/** Returns the id of the workspace of a request. Throws if the caller may not use it, or the environment. */
export async function workspaceOf(q: Query, ctx: Context, { workspace, env }: RunHeaders): Promise<string> {
  if (env) requireNamespace(ctx, env)
  const id = workspace === null ? await existing(q, ownWorkspace(ctx)) : await idOf(q, workspace)
  // Check the token first, also for an unknown workspace, so that a limited token cannot find out which
  // workspaces exist.
  const refusal = workspaceRefusal(ctx, id ?? '')
  if (refusal !== null) throw refusal
  if (id === null) throw fail('not_found', { detail: notFound })
  requireInScope(ctx.scope, id, notFound)
  return id
}
