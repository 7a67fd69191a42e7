import type { KeyEnvironment, PromptKeyRow } from '../../../../contract/prompts/prompt-keys.ts'

/** A row of the list: a key of a workspace. `id` identifies it in the table. */
export type KeyRow = PromptKeyRow & { readonly id: string }

export const rowIdOf = (row: Pick<PromptKeyRow, 'workspace_id' | 'key'>): string =>
  `${row.workspace_id}/${row.key}`
export const keyRowOf = (row: PromptKeyRow): KeyRow => ({ ...row, id: rowIdOf(row) })

/** Returns the number of the content of a cell: 0 for the newest, then one number per other content. */
export function contentNumber({ envs }: PromptKeyRow, { content_hash: hash }: KeyEnvironment): number {
  const served = envs.filter((env) => env.content_hash !== null)
  const ordered = [...served.filter(({ behind }) => !behind), ...served.filter(({ behind }) => behind)]
  return [...new Set(ordered.map((env) => env.content_hash))].indexOf(hash)
}

/** Returns the other environments that serve the same content. */
export const sameEnvs = ({ envs }: PromptKeyRow, cell: KeyEnvironment): readonly KeyEnvironment['env'][] =>
  envs
    .filter(({ env, content_hash: hash }) => env !== cell.env && hash !== null && hash === cell.content_hash)
    .map(({ env }) => env)
