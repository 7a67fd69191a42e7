import { sql } from 'kysely'
import { listOf, withoutIndex } from '../../../db/dialect/expressions.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { RunSessionsTable } from '../../../db/schema/runs.ts'
import type { Query } from '../../../db/types.ts'
import {
  applyPage,
  numberKey,
  orders,
  type PagePlan,
  readPage,
  type Total,
  textKey,
} from '../../../lib/paging.ts'

export const sessionOrder = orders({
  last_run_at: [numberKey('last_at'), textKey('session_id'), numberKey('workspace')],
})
export const sessionKeys = ({ last_at, session_id, workspace }: RunSessionsTable) => [
  last_at,
  session_id,
  workspace,
]

export const sessionRunOrder = orders({ created_at: [numberKey('created_at'), numberKey('id')] })(
  'created_at',
)

/** Ids of names; undefined: not restricted. Times in epoch milliseconds, `to` exclusive. */
export type SessionFilter = {
  readonly workspaces: readonly number[] | undefined
  readonly endUsers: readonly number[] | undefined
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Number of runs of an end user whose sessions the filter finds. */
const maxRunsOfEndUser = 10_000
/** Number of runs of a session that are examined for its apps and end user, and for a known token count. */
const describedRuns = 200

export async function listSessions(
  q: Query,
  { workspaces, endUsers, from, to }: SessionFilter,
  plan: PagePlan,
): Promise<{ rows: RunSessionsTable[]; total: Total }> {
  let matching = q.selectFrom('run_sessions').selectAll()
  if (workspaces !== undefined) matching = matching.where(sql<boolean>`workspace in (${listOf(workspaces)})`)
  if (from !== undefined) matching = matching.where('last_at', '>=', from)
  if (to !== undefined) matching = matching.where('last_at', '<', to)
  if (endUsers !== undefined)
    matching = matching.where(
      sql<boolean>`(session_id, workspace) in (select session_id, workspace from (
        select session_id, workspace from runs where end_user in (${listOf(endUsers)}) and end_user is not null
        order by created_at desc limit ${sql.lit(maxRunsOfEndUser)}) as recent where session_id is not null)`,
    )
  return readPage(q, matching, plan)
}

/** Returns the session with the latest activity among those of the workspaces. */
export function findSession(
  q: Query,
  id: string,
  workspaces: readonly number[] | undefined,
): Promise<RunSessionsTable | undefined> {
  let matching = q.selectFrom('run_sessions').selectAll().where('session_id', '=', id)
  if (workspaces !== undefined) matching = matching.where(sql<boolean>`workspace in (${listOf(workspaces)})`)
  return matching.orderBy('last_at', 'desc').limit(1).executeTakeFirst()
}

type SessionKey = Pick<RunSessionsTable, 'session_id' | 'workspace'>

/** Returns the runs of a session. The plus sign keeps SQLite on the index of the session. */
const runsOf = (q: Query, { session_id, workspace }: SessionKey) =>
  q
    .selectFrom('runs')
    .where('session_id', '=', session_id)
    .where(sql<boolean>`${withoutIndex('workspace')} = ${sql.lit(workspace)}`)

/** Returns the apps, end users and token counts of the newest runs of a session, newest first. */
export const describeSession = (q: Query, key: SessionKey) =>
  runsOf(q, key)
    .select(['app', 'end_user', 'total_tokens'])
    .orderBy('created_at', 'desc')
    .limit(describedRuns)
    .execute()

/** Returns a page of the runs of a session, oldest first, and one more. */
export const sessionRuns = (q: Query, key: SessionKey, plan: PagePlan): Promise<RunsTable[]> =>
  applyPage(runsOf(q, key).selectAll(), plan).execute()
