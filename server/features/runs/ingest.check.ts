import type { FieldError } from '../../../contract/problem.ts'
import { workspaceRefusal } from '../../auth/token-limits.ts'
import type { Tx } from '../../db/types.ts'
import type { Problem } from '../../lib/fail.ts'
import type { Submission } from './ingest.ts'
import { pathOf, problemOf } from './intake.ts'
import type { Names } from './names.store.ts'
import { hasParent } from './parents.store.ts'

/** A submission with the workspace id of each report; null for an unknown workspace. */
export type Located = Omit<Submission, 'claim'> & {
  readonly isOwnCall: boolean
  readonly workspaceIds: readonly (string | null)[]
}

/** Returns why a submission is refused in the transaction that would store it; null if it is not. */
export async function refusalOf(
  tx: Tx,
  names: Names,
  given: Located,
  isRepeated: (clientRunId: string) => Promise<boolean>,
): Promise<Problem | null> {
  const { ctx, reports, isBatch, isOwnCall, workspaceIds } = given
  // Refuse first, also for an unknown workspace, so that a limited token cannot find out which workspaces
  // exist.
  const refusal = workspaceIds.map((id) => workspaceRefusal(ctx, id ?? '')).find((one) => one !== null)
  if (refusal !== undefined) return refusal
  // The run of a call is stored even if its workspace was deleted during the call.
  if (isOwnCall) return null
  const found: FieldError[] = []
  for (const [index, report] of reports.entries()) {
    const at = (field: string) => pathOf(isBatch ? index : null, field)
    const workspaceId = workspaceIds[index] ?? null
    const { parent_id: parentId, client_run_id: clientRunId } = report
    if (workspaceId === null) {
      found.push({ path: at('workspace_id'), message: 'There is no such workspace' })
    } else if (parentId && given.isReported) {
      // A repeated report returns the first one, even if retention removed the parent since.
      if (clientRunId && (await isRepeated(clientRunId))) continue
      if (!(await hasParent(tx.q, names, { parentId, workspaceId })))
        found.push({ path: at('parent_id'), message: 'There is no such run or execution in this workspace' })
    }
  }
  return problemOf(found)
}
