import type { Environment } from '../../contract/common/environments.ts'
import type { ProblemCode } from '../../contract/common/problem.ts'
import { fail, invalid, type Problem } from '../lib/fail.ts'
import { freeKey } from './free-key.ts'

/** The place of a key in a workspace. Prompts have an environment; agents and workflows have none. */
export type Place = { readonly key: string; readonly env: Environment | null }
type Workspace = { readonly id: string; readonly name: string }

/** Returns a place as text, such as `prod of the workspace Default`. */
export const placeName = (env: Environment | null, workspace: Pick<Workspace, 'name'>): string =>
  `${env === null ? '' : `${env} of `}the workspace ${workspace.name}`

/** Returns the problem of a key that another resource has. `path` names the field that must change. */
export function keyTaken(
  code: Extract<ProblemCode, `${string}.key_taken`>,
  { key, env }: Place,
  workspace: Pick<Workspace, 'name'>,
  path = 'key',
): Problem {
  const message = `The key ${key} is taken in ${placeName(env, workspace)}`
  return fail(code, { detail: `${message}.`, errors: [{ path, message }] })
}

/** Throws 422 if a request names another key than the one the resource has. */
export function requireSameKey(requestedKey: string | undefined, key: string, advice: string): void {
  if (requestedKey !== undefined && requestedKey !== key)
    throw invalid('key', `The key never changes: ${advice}`)
}

/**
 * Returns the key and name of a copy. A copy in the place of the original gets a free key; one in another
 * place keeps the key.
 */
export async function copyOf(
  original: { readonly key: string; readonly name: string },
  requested: { readonly key?: string | undefined; readonly name?: string | undefined },
  isSamePlace: boolean,
  isTaken: (key: string) => Promise<boolean>,
): Promise<{ readonly key: string; readonly name: string }> {
  const { key, name } = original
  return {
    key: requested.key ?? (isSamePlace ? await freeKey(key, 'copy', isTaken) : key),
    name: requested.name ?? (isSamePlace ? `${name} (copy)`.slice(0, 200) : name),
  }
}
