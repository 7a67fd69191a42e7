import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Db } from '../../../db/types.ts'
import type { Clock } from '../../../lib/clock.ts'
import { emptyResult, flattenSteps } from '../engine/result.ts'
import { executionStore } from './executions.store.ts'
import { stepToRow } from './executions.wire.ts'
import { activeSteps } from './interrupted.ts'

/**
 * Marks executions that were active when the service ended as `interrupted`. The results of their steps do
 * not change. Returns the number of executions.
 */
export async function recoverExecutions({
  db,
  clock,
  stepsAt,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly stepsAt: (workflowId: string, version: number) => Promise<readonly WorkflowStep[] | null>
}): Promise<number> {
  const executions = await executionStore.active(db.read)
  for (const row of executions) {
    const steps = (await stepsAt(row.workflow_id, row.version)) ?? []
    const storedSteps = (await executionStore.stepsOf(db.read, [row.id])).get(row.id) ?? []
    const ended = new Set(storedSteps.map(({ name }) => name))
    const active = activeSteps(steps, ended)
    await db.write(
      async (tx) => {
        for (const place of flattenSteps(steps)) {
          const { name } = place.step
          if (ended.has(name)) continue
          const status = active.has(name) ? ('interrupted' as const) : ('not_run' as const)
          const result = { ...emptyResult(place, status), status }
          await executionStore.insertStep(tx.q, stepToRow(row.id, place.position, result, null))
        }
        await executionStore.update(tx.q, row.id, {
          status: 'interrupted',
          error: 'interrupted: The service stopped during the execution',
          finished_at: clock.now().getTime(),
        })
      },
      { evenWhenFull: true },
    )
  }
  return executions.length
}
