import type { Environment } from '../../../../contract/common/environments.ts'
import type { KeyEnvironment, PromptKeyRow } from '../../../../contract/prompts/prompt-keys.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { useWorkspaceSuffix } from '../../../shared/workspaces/useWorkspaceSuffix.ts'
import type { BulkItem } from '../../../ui/bulk/useBulk.ts'
import type { KeyRow } from '../keys/keyRow.ts'
import type { PromptActions, Subject } from '../usePromptActions.tsx'

export type BulkKind = 'move' | 'tag' | 'delete'

/** Returns the reason why the user may not do this with the prompt. */
export const bulkReasons = ({
  moveDisabledReason,
  changeDisabledReason,
  removeDisabledReason,
}: PromptActions) => ({
  move: moveDisabledReason,
  tag: changeDisabledReason,
  delete: removeDisabledReason,
})

/** Returns one environment of a key in the form that the actions on a prompt need. */
export const subjectOf = (row: PromptKeyRow, cell: KeyEnvironment): Subject => ({
  id: cell.id,
  key: row.key,
  name: row.name,
  env: cell.env,
  workspace_id: row.workspace_id,
  protected: cell.protected,
  client_count: cell.client_count,
  served: cell.version === null ? null : { version: cell.version },
})

/** The prompts of the selected keys in the chosen environment; null: in all. */
export const promptsIn = (rows: readonly KeyRow[], env: Environment | null): readonly Subject[] =>
  rows.flatMap((row) =>
    row.envs.filter((cell) => env === null || cell.env === env).map((cell) => subjectOf(row, cell)),
  )

/** Returns the items of a bulk action. Those that the user may not change are left out, with the reason. */
export function useBulkItems(
  prompts: readonly Subject[],
  skipReason: (prompt: Subject) => DisabledReason,
): readonly BulkItem[] {
  const suffixOf = useWorkspaceSuffix(prompts)
  return prompts.map((prompt) => ({
    id: prompt.id,
    name: `${prompt.key} · ${prompt.env}${suffixOf(prompt)}`,
    skip: skipReason(prompt) ?? undefined,
  }))
}
