import { z } from 'zod'
import { environments } from '../../../../contract/common/environments.ts'
import type { PromptKeyRow } from '../../../../contract/prompts/prompt-keys.ts'
import { oneOf, textParam } from '../../../lib/page/search.ts'

/** The compared sides: an environment of the key, and a state of its prompt (`v3`, `draft`, `served`). */
export const compareParams = z.object({
  key: textParam(),
  workspace: textParam(),
  from_env: oneOf(environments),
  from: textParam(),
  to_env: oneOf(environments),
  to: textParam(),
})
export type CompareSearch = z.output<typeof compareParams>

/**
 * Returns the search parameters that compare the environment with the newest content of a key to one that is
 * behind, else to any other.
 */
export function compareSearch({ key, workspace_id: workspace, envs }: PromptKeyRow) {
  const newest = envs.find(({ behind, version }) => version !== null && !behind) ?? envs[0]
  const other =
    envs.findLast(({ behind }) => behind) ?? envs.findLast(({ env }) => env !== newest?.env) ?? newest
  return { key, workspace, from_env: other?.env, to_env: newest?.env }
}
