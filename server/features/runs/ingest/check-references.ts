import type { FieldError } from '../../../../contract/common/problem.ts'
import { namespaceRefusal, workspaceRefusal } from '../../../auth/tokens/token-limits.ts'
import type { Tx } from '../../../db/types.ts'
import type { Problem } from '../../../lib/fail.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { hasParent } from './parents.store.ts'
import type { Submission } from './submission.ts'
import { pathOf, problemOf } from './validate.ts'

/** A submission with the workspace id of each report; null for an unknown workspace. */
export type Located = Omit<Submission, 'claim'> & {
  readonly hasClaim: boolean
  readonly workspaceIds: readonly (string | null)[]
}

/** Returns the problem for which the transaction rejects a submission; null if there is none. */
export async function refusalOf(
  tx: Tx,
  names: NameDictionary,
  submission: Located,
  isRepeated: (clientRunId: string) => Promise<boolean>,
): Promise<Problem | null> {
  const { ctx, reports, isBatch, hasClaim, workspaceIds } = submission
  // Check the token first, also for an unknown workspace, so that a limited token cannot find out which
  // workspaces exist.
  const refusal = [
    ...workspaceIds.map((id) => workspaceRefusal(ctx, id ?? '')),
    ...reports.map(({ env }) => (env && submission.isReported ? namespaceRefusal(ctx, env) : null)),
  ].find((found) => found !== null)
  if (refusal !== undefined) return refusal
  // The run of a call is stored even if its workspace was deleted during the call.
  if (hasClaim) return null
  const errors: FieldError[] = []
  for (const [index, report] of reports.entries()) {
    const addError = (field: string, message: string) =>
      errors.push({ path: pathOf(isBatch ? index : null, field), message })
    const workspaceId = workspaceIds[index] ?? null
    if (workspaceId === null) addError('workspace_id', 'Workspace not found')
    else if (submission.isReported && (await isOrphan(tx, names, report, workspaceId, isRepeated)))
      addError('parent_id', 'Run or execution not found in this workspace')
  }
  return problemOf(errors)
}

/** Returns true if the parent of a report does not exist. */
async function isOrphan(
  tx: Tx,
  names: NameDictionary,
  { parent_id: parentId, client_run_id: clientRunId }: Submission['reports'][number],
  workspaceId: string,
  isRepeated: (clientRunId: string) => Promise<boolean>,
): Promise<boolean> {
  if (!parentId) return false
  // A repeated report returns the first one, even if retention removed the parent since.
  if (clientRunId && (await isRepeated(clientRunId))) return false
  return !(await hasParent(tx.q, names, { parentId, workspaceId }))
}
