import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Db } from '../../../db/types.ts'
import type { Clock } from '../../../lib/clock.ts'
import { blank, placesOf } from '../engine/result.ts'
import { executionStore } from './executions.store.ts'
import { stepToRow } from './executions.wire.ts'
import { stepsUnderWay } from './interrupted.ts'

/**
 * Marks executions that were active when the service ended as `interrupted`. Results of their steps are kept.
 * Returns their number.
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
  const left = await executionStore.underWay(db.read)
  for (const row of left) {
    const steps = (await stepsAt(row.workflow_id, row.version)) ?? []
    const known = (await executionStore.stepsOf(db.read, [row.id])).get(row.id) ?? []
    const ended = new Set(known.map(({ name }) => name))
    const underWay = stepsUnderWay(steps, ended)
    await db.write(
      async (tx) => {
        for (const place of placesOf(steps)) {
          const { name } = place.step
          if (ended.has(name)) continue
          const status = underWay.has(name) ? ('interrupted' as const) : ('not_run' as const)
          const result = { ...blank(place, status), status }
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
  return left.length
}
