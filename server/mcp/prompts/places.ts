import { type Environment, environments } from '../../../contract/common/environments.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { Caller } from '../caller.ts'

export type PlaceWorkspace = { readonly id: string; readonly slug: string }

/** Returns the workspaces that exist for the caller, by name, or only the one with this id or slug. */
export type VisibleWorkspaces = (ctx: Context, named?: string) => Promise<readonly PlaceWorkspace[]>

/** An environment of a workspace, from which prompts are served. */
export type Place = { readonly workspace: string; readonly env: Environment }

/** Returns the environments that the token and the address of the connection allow. */
export function environmentsOf({ identity, place }: Caller): readonly Environment[] {
  const allowed = identity.actor.limits?.namespaces ?? null
  return environments.filter(
    (env) => (allowed === null || allowed.includes(env)) && (place.env ?? env) === env,
  )
}

/** Returns the workspaces that the token and the address of the connection allow. Throws 404 for an unknown one. */
export async function workspacesOf(
  { ctx, place }: Caller,
  visibleWorkspaces: VisibleWorkspaces,
): Promise<readonly PlaceWorkspace[]> {
  if (place.workspace === undefined) return visibleWorkspaces(ctx)
  const found = await visibleWorkspaces(ctx, place.workspace)
  if (found.length === 0) throw fail('not_found', { detail: 'Workspace not found.' })
  return found
}

/** True for the parts of a place that are the same for all prompts of a connection. */
type Fixed = { readonly workspace: boolean; readonly env: boolean }

/** Returns the parts that the names of prompts omit. They depend on the connection alone, so names are stable. */
const fixedParts = ({ identity, place }: Caller): Fixed => ({
  workspace: place.workspace !== undefined || (identity.actor.limits?.workspaceId ?? null) !== null,
  env: place.env !== undefined || identity.actor.limits?.namespaces?.length === 1,
})

/** Returns the name of a prompt: `<workspace>/<env>/<key>`, without the parts that the connection fixes. */
export function nameOf(caller: Caller, { workspace, env }: Place, key: string): string {
  const fixed = fixedParts(caller)
  return [...(fixed.workspace ? [] : [workspace]), ...(fixed.env ? [] : [env]), key].join('/')
}

/** Returns place and key of a name. Throws 404 if no prompt can have it. */
export async function placeOfName(
  caller: Caller,
  name: string,
  visibleWorkspaces: VisibleWorkspaces,
): Promise<Place & { readonly key: string }> {
  const fixed = fixedParts(caller)
  const segments = name.split('/')
  const workspace = fixed.workspace
    ? (await workspacesOf(caller, visibleWorkspaces))[0]?.slug
    : segments.shift()
  const [onlyEnvironment] = environmentsOf(caller)
  const env = fixed.env ? onlyEnvironment : environments.find((each) => each === segments[0])
  if (!fixed.env) segments.shift()
  const key = segments.join('/')
  if (workspace === undefined || workspace === '' || env === undefined || key === '')
    throw fail('not_found', { detail: 'Prompt not found.' })
  return { workspace, env, key }
}
