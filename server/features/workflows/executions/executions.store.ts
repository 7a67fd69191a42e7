import { sql } from 'kysely'
import { never } from '../../../db/dialect/expressions.ts'
import { inScope } from '../../../db/dialect/in-scope.ts'
import type { WorkflowRunStepsTable, WorkflowRunsTable } from '../../../db/schema/workflows.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../../lib/paging.ts'
import { searchWords } from '../../../lib/text/search.ts'
import { hasWordPrefix } from '../../../lib/text/word-prefix.ts'
import { workspaceIdsOf } from '../../../resources/workspaces.read.ts'

export type ExecutionRow = WorkflowRunsTable
export type StepRow = WorkflowRunStepsTable

export type ExecutionFilters = {
  readonly status?: ExecutionRow['status'][] | undefined
  readonly user?: string[] | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly workspace?: string[] | undefined
  readonly workflow_id?: string[] | undefined
  readonly key?: string[] | undefined
  readonly q?: string | undefined
}

export const executionOrder = orders({ created_at: [numberKey('created_at'), textKey('id')] })
export const executionKeys = (row: ExecutionRow) => [row.created_at, row.id]

function matching(q: Query, scope: Scope, filters: ExecutionFilters) {
  const { status, user, from, to, workspace, workflow_id, key } = filters
  let found = q.selectFrom('workflow_runs').selectAll().where(inScope(scope, 'workspace_id'))
  if (status !== undefined) found = found.where('status', 'in', status)
  if (user !== undefined) found = found.where('user', 'in', user)
  if (from !== undefined) found = found.where('created_at', '>=', from.getTime())
  if (to !== undefined) found = found.where('created_at', '<', to.getTime())
  if (workflow_id !== undefined) found = found.where('workflow_id', 'in', workflow_id)
  if (key !== undefined) found = found.where('workflow_key', 'in', key)
  if (workspace !== undefined) {
    const bySlug = workspaceIdsOf(q, workspace)
    found = found.where((eb) =>
      eb.or([eb('workspace_id', 'in', workspace), eb('workspace_id', 'in', bySlug)]),
    )
  }
  if (filters.q !== undefined) {
    // Search the distinct keys in their index instead of the executions, because there are few keys.
    let keys = q.selectFrom('workflow_runs').select('workflow_key').distinct()
    const words = searchWords(filters.q)
    if (words.length === 0) keys = keys.where(never)
    for (const word of words) keys = keys.where(hasWordPrefix(sql<string>`lower(workflow_key)`, word))
    found = found.where('workflow_key', 'in', keys)
  }
  return found
}

export const executionStore = {
  async list(
    q: Query,
    scope: Scope,
    filters: ExecutionFilters,
    plan: PagePlan,
  ): Promise<{ rows: ExecutionRow[]; total: Total }> {
    const found = matching(q, scope, filters)
    return readPage(q, found, plan)
  },
  find: (q: Query, id: string): Promise<ExecutionRow | undefined> =>
    q.selectFrom('workflow_runs').selectAll().where('id', '=', id).executeTakeFirst(),
  newest: (q: Query, scope: Scope, workflowId: string) =>
    q
      .selectFrom('workflow_runs')
      .select(['id', 'status', 'created_at'])
      .where('workflow_id', '=', workflowId)
      .where(inScope(scope, 'workspace_id'))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  /** Returns the executions that have not ended. `instanceIds`: only those of these instances; null for all. */
  active(q: Query, instanceIds: readonly string[] | null): Promise<ExecutionRow[]> {
    const active = q.selectFrom('workflow_runs').selectAll().where('status', '=', sql.lit('running'))
    return (instanceIds === null ? active : active.where('instance_id', 'in', instanceIds)).execute()
  },
  /** Returns the ids of the instances with executions that have not ended. */
  async instances(q: Query): Promise<readonly string[]> {
    const rows = await q
      .selectFrom('workflow_runs')
      .select('instance_id')
      .distinct()
      .where('status', '=', sql.lit('running'))
      .execute()
    return rows.flatMap(({ instance_id: id }) => id ?? [])
  },

  async insert(q: Query, row: ExecutionRow): Promise<void> {
    await q.insertInto('workflow_runs').values(row).execute()
  },
  /** Ends an execution. Returns false if it had ended before; nothing is changed then. */
  async end(q: Query, id: string, changes: Partial<Omit<ExecutionRow, 'id'>>): Promise<boolean> {
    const { numUpdatedRows } = await q
      .updateTable('workflow_runs')
      .set(changes)
      .where('id', '=', id)
      .where('status', '=', sql.lit('running'))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },
  async insertStep(q: Query, row: StepRow): Promise<void> {
    await q.insertInto('workflow_run_steps').values(row).execute()
  },
  /** Returns the steps of executions, each list in the order of the workflow. */
  async stepsOf(q: Query, runIds: readonly string[]): Promise<ReadonlyMap<string, StepRow[]>> {
    const found = new Map<string, StepRow[]>(runIds.map((id) => [id, []]))
    if (runIds.length === 0) return found
    const rows = await q
      .selectFrom('workflow_run_steps')
      .selectAll()
      .where('run_id', 'in', runIds)
      .orderBy('run_id')
      .orderBy('position')
      .execute()
    for (const row of rows) found.get(row.run_id)?.push(row)
    return found
  },
  /** Returns the ids of the calls of an execution in the run log, oldest first. */
  async callsOf(
    q: Query,
    { id, created_at: at }: Pick<ExecutionRow, 'id' | 'created_at'>,
  ): Promise<number[]> {
    const calls = q.selectFrom('runs').select('id').where('parent_id', '=', id).where('created_at', '>=', at)
    return (await calls.orderBy('created_at').orderBy('id').execute()).map((run) => run.id)
  },

  /** Removes the oldest ended executions from before a time, with their steps. Returns their number. */
  async removeOld(q: Query, before: number, limit: number): Promise<number> {
    const old = await q
      .selectFrom('workflow_runs')
      .select('id')
      .where('created_at', '<', before)
      .where('status', '!=', 'running')
      .orderBy('created_at')
      .limit(limit)
      .execute()
    if (old.length === 0) return 0
    const ids = old.map(({ id }) => id)
    await q.deleteFrom('workflow_run_steps').where('run_id', 'in', ids).execute()
    await q.deleteFrom('workflow_runs').where('id', 'in', ids).execute()
    return ids.length
  },
}
