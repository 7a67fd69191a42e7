import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Db } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import type { Clock } from '../../../lib/clock.ts'
import { emptyResult, flattenSteps, type PlacedStep } from '../engine/result.ts'
import { type ExecutionRow, executionStore, type StepRow } from './executions.store.ts'
import { stepToRow } from './executions.wire.ts'
import { activeSteps } from './interrupted.ts'

export type RecoverDeps = {
  readonly db: Db
  readonly bus: Pick<Bus, 'announce'>
  readonly clock: Clock
  readonly stepsAt: (workflowId: string, version: number) => Promise<readonly WorkflowStep[] | null>
}

/**
 * Marks executions that were active when the service ended as `interrupted`. The results of their steps do
 * not change. `instanceIds`: the instances that ended; null for all. Returns the number of executions.
 */
export async function recoverExecutions(
  deps: RecoverDeps,
  instanceIds: readonly string[] | null,
): Promise<number> {
  let recovered = 0
  for (const row of await executionStore.active(deps.db.read, instanceIds))
    if (await interrupt(deps, row)) recovered += 1
  return recovered
}

const isCalling = ({ type }: WorkflowStep): boolean => type === 'model' || type === 'agent'

/**
 * Returns the active step with the calls in progress. A run does not contain its step, so calls of several steps are
 * those of the `parallel` step around them.
 */
function callerAmong(active: readonly PlacedStep[]): PlacedStep | undefined {
  const [only, ...others] = active.filter(({ step }) => isCalling(step))
  return others.length === 0 && only !== undefined
    ? only
    : active.find(({ step }) => step.type === 'parallel')
}

/** Returns the calls that belong to no stored step, as fields of a step. */
function fieldsOfCalls(stored: readonly StepRow[], calls: readonly number[]) {
  const known = new Set(stored.flatMap(({ run_ids: ids }) => ids.split(',')))
  const ids = calls.filter((id) => !known.has(String(id)))
  return { attempts: ids.length, run_ids: ids, run_id: ids.at(-1) ?? null }
}

/** Returns false if the execution has ended meanwhile. */
async function interrupt({ db, bus, clock, stepsAt }: RecoverDeps, row: ExecutionRow): Promise<boolean> {
  const steps = (await stepsAt(row.workflow_id, row.version)) ?? []
  return db.write(
    async (tx) => {
      const isActive = await executionStore.end(tx.q, row.id, {
        status: 'interrupted',
        error: 'interrupted: The service stopped during the execution',
        finished_at: clock.now().getTime(),
      })
      if (!isActive) return false
      const stored = (await executionStore.stepsOf(tx.q, [row.id])).get(row.id) ?? []
      const ended = new Set(stored.map(({ name }) => name))
      const active = activeSteps(steps, ended)
      const places = flattenSteps(steps)
      const caller = callerAmong(places.filter(({ step }) => active.has(step.name)))
      const callFields = fieldsOfCalls(stored, await executionStore.callsOf(tx.q, row))
      for (const place of places) {
        const { name } = place.step
        if (ended.has(name)) continue
        const status = active.has(name) ? ('interrupted' as const) : ('not_run' as const)
        const fields = place === caller ? callFields : {}
        const result = { ...emptyResult(place, status), ...fields, status }
        await executionStore.insertStep(tx.q, stepToRow(row.id, place.position, result, null))
      }
      tx.afterCommit(() => bus.announce({ kind: 'runs', workspaceIds: [row.workspace_id] }))
      return true
    },
    { evenWhenFull: true },
  )
}
