import type { z } from 'zod'
import type {
  ListWorkflowRunsQuery,
  StepResult,
  WorkflowRun,
  WorkflowRunDetail,
} from '../../../contract/workflow-run.ts'
import type { WorkflowStep } from '../../../contract/workflow-step.ts'
import type { Db, Query } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { blank, placesOf } from './engine/result.ts'
import {
  type ExecutionRow,
  executionKeys,
  executionOrder,
  executionStore,
  type StepRow,
} from './executions.store.ts'
import { executionToWire, type Place, placeOf, stepToWire } from './executions.wire.ts'
import type { Keeping } from './keeping.ts'
import type { Memory, Remembered } from './memory.ts'

const wentWell = ({ status }: Pick<StepRow, 'status'>): boolean => status === 'ok' || status === 'skipped'
/** Returns true if a step has an output. A step in a branch that was not taken never started and has none. */
const handsOn = (step: StepRow): boolean => wentWell(step) && step.started_at !== null

/** Returns why an execution cannot be resumed; null if it can. */
export function whyNotResumable(
  row: ExecutionRow,
  steps: readonly StepRow[],
  { isRemembered, isDeleted }: { readonly isRemembered: boolean; readonly isDeleted: boolean },
): string | null {
  if (row.status === 'running') return 'It is still running'
  if (row.status === 'ok') return 'It ended well'
  if (isDeleted) return 'The workflow was deleted'
  if (isRemembered) return null
  if (row.capture !== 'full')
    return `The outputs of its steps were only stored in memory (capture is ${row.capture}) and are no longer available`
  const isWhole =
    row.payload_day !== null && steps.every((step) => !handsOn(step) || step.payload_day !== null)
  return isWhole ? null : 'What its steps handed on was too much to keep'
}

/** The input and the results that a resumed execution reuses. */
export type Earlier = Pick<Remembered, 'variables' | 'input'> & {
  readonly results: ReadonlyMap<string, StepResult>
  readonly places: ReadonlyMap<string, Place | null>
}

export type ExecutionReader = ReturnType<typeof createExecutionReader>

export function createExecutionReader(deps: {
  readonly db: Db
  readonly keeping: Keeping
  readonly memory: Memory
  /** Returns those of the ids that are existing workflows. */
  readonly existing: (q: Query, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Returns null if the version does not exist any more. */
  readonly stepsAt: (workflowId: string, version: number) => Promise<readonly WorkflowStep[] | null>
  /** Returns the names of the active steps of an execution. */
  readonly running: (id: string) => ReadonlySet<string>
}) {
  const { db, keeping, memory, existing } = deps

  const isDeleted = async (workflowId: string) => !(await existing(db.read, [workflowId])).has(workflowId)
  const isRemembered = (id: string) => memory.get(id) !== null

  const wire = async (row: ExecutionRow, steps: readonly StepRow[]): Promise<WorkflowRun> => {
    const known = { isRemembered: isRemembered(row.id), isDeleted: await isDeleted(row.workflow_id) }
    return executionToWire(row, steps, whyNotResumable(row, steps, known))
  }

  async function find(id: string): Promise<{ row: ExecutionRow; steps: StepRow[] } | null> {
    const row = await executionStore.find(db.read, id)
    if (row === undefined) return null
    return { row, steps: (await executionStore.stepsOf(db.read, [id])).get(id) ?? [] }
  }

  async function withTexts(step: StepRow, owners: readonly string[]): Promise<StepResult> {
    return { ...stepToWire(step), ...(await keeping.readStep(placeOf(step), step.name, owners)) }
  }

  /**
   * Returns the ids of the execution and of those it was resumed from, because reused steps share their
   * texts.
   */
  async function lineageOf(row: ExecutionRow): Promise<string[]> {
    const lineage = [row.id]
    let from = row.resumed_from
    while (from !== null && !lineage.includes(from)) {
      lineage.push(from)
      from = (await executionStore.find(db.read, from))?.resumed_from ?? null
    }
    return lineage
  }

  return {
    find,
    wire,
    isDeleted,

    async list(_ctx: Context, query: z.output<typeof ListWorkflowRunsQuery>) {
      const plan = planPage(query, executionOrder(query.sort ?? '-created_at'))
      const { rows, total } = await executionStore.list(db.read, query, plan)
      const steps = await executionStore.stepsOf(
        db.read,
        rows.map(({ id }) => id),
      )
      const there = await existing(db.read, [...new Set(rows.map((row) => row.workflow_id))])
      return toPage(plan, rows, total, executionKeys, (row) => {
        const own = steps.get(row.id) ?? []
        const known = { isRemembered: isRemembered(row.id), isDeleted: !there.has(row.workflow_id) }
        return executionToWire(row, own, whyNotResumable(row, own, known))
      })
    },

    /**
     * Returns an execution with its trace, also while it is active: steps without a result are `running` or
     * `not_run`.
     */
    async get(_ctx: Context, id: string): Promise<WorkflowRunDetail> {
      const found = await find(id)
      if (found === null) throw fail('not_found', { detail: 'There is no such execution.' })
      const { row, steps } = found
      const ended = new Map<string, StepResult>()
      const owners = await lineageOf(row)
      for (const step of steps) ended.set(step.name, await withTexts(step, owners))
      const running = deps.running(id)
      const workflow = await deps.stepsAt(row.workflow_id, row.version)
      const trace =
        workflow === null
          ? [...ended.values()]
          : placesOf(workflow).map(
              (place) =>
                ended.get(place.step.name) ??
                blank(place, running.has(place.step.name) ? 'running' : 'not_run'),
            )
      const given = await keeping.readGiven(placeOf(row), row.id)
      // The output of a workflow is that of its last top-level step.
      const last = trace.findLast(({ parent }) => parent === null)
      return {
        ...(await wire(row, steps)),
        variables: given?.variables ?? null,
        input: given?.input ?? null,
        output: row.status === 'ok' ? (last?.output ?? null) : null,
        steps: trace,
      }
    },

    /**
     * Returns the earlier results from memory, or from complete captured texts; null if neither is available.
     */
    async earlier(row: ExecutionRow, steps: readonly StepRow[]): Promise<Earlier | null> {
      const remembered = memory.get(row.id)
      if (remembered === null && row.capture !== 'full') return null
      const given = remembered ?? (await keeping.readGiven(placeOf(row), row.id))
      if (given === null) return null
      const results = new Map<string, StepResult>()
      const owners = await lineageOf(row)
      for (const step of steps.filter(wentWell)) {
        const texts = await keeping.readStep(placeOf(step), step.name, owners)
        const output =
          remembered === null ? (texts?.output ?? null) : (remembered.outputs.get(step.name) ?? null)
        if (remembered === null && texts === null && handsOn(step)) return null
        results.set(step.name, { ...stepToWire(step), ...texts, output })
      }
      const places = new Map(steps.map((step) => [step.name, placeOf(step)]))
      return { variables: given.variables, input: given.input, results, places }
    },
  }
}
