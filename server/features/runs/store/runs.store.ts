import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { eitherForm } from '../../../db/dialect/either-form.ts'
import { readByIds } from '../../../db/dialect/read-by-ids.ts'
import { prepareChange, prepareQuery } from '../../../db/prepared.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { columnNames, type ListColumn, listColumns, recordOf } from './columns.ts'

/** The position of a run in the log. Lists are sorted by time, then id. */
export type RunKey = { readonly created_at: number; readonly id: number }
export type ListedRun = Pick<RunsTable, ListColumn>

/** A run with the id that its reporter gave it. */
export type ReportedRun = { readonly id: number; readonly client_run_id: string; readonly reporter: number }

const insert = prepareChange<RunsTable>((q, p) =>
  q.insertInto('runs').values(recordOf<RunsTable>(columnNames, p)),
)
const byId = prepareQuery<{ id: number }, RunsTable>((q, p) =>
  q.selectFrom('runs').selectAll().where('id', '=', p('id')),
)
const byCallId = prepareQuery<{ call_id: string }, RunsTable>((q, p) =>
  q
    .selectFrom('runs')
    .selectAll()
    .where(
      eitherForm<SqlBool>({
        sqlite: sql`call_id = ${p('call_id')}`,
        postgres: sql`id = (select id from run_calls where call_id = ${p('call_id')})`,
      }),
    ),
)
/** The table in which a `client_run_id` is unique, also if PostgreSQL divides the runs into partitions. */
const runKeys = eitherForm<Pick<RunsTable, 'id' | 'client_run_id' | 'reporter'>>({
  sqlite: sql`runs`,
  postgres: sql`run_keys`,
})
const byClientRunId = prepareQuery<{ client_run_id: string; reporter: number }, { id: number }>((q, p) =>
  q
    .selectFrom(runKeys.as('run_keys'))
    .select('id')
    .where('client_run_id', '=', p('client_run_id'))
    .where('reporter', '=', p('reporter')),
)
const byResponseId = prepareQuery<
  { response_id: string; workspace: number; from: number; to: number; reported: number },
  { id: number }
>((q, p) =>
  q
    .selectFrom('runs')
    .select('id')
    .where('response_id', '=', p('response_id'))
    .where('created_at', '>=', p('from'))
    .where('created_at', '<=', p('to'))
    // The sign keeps SQLite from the index of the workspace, in which it would read all runs of the range.
    .where(sql<boolean>`+workspace = ${p('workspace')}`)
    .where('reported', '>=', p('reported'))
    .orderBy('created_at')
    .limit(1),
)
const bySpan = prepareQuery<
  { trace_id: string; span_id: string; workspace: number; reported: number },
  { id: number }
>((q, p) =>
  q
    .selectFrom('runs')
    .select('id')
    .where('span_id', '=', p('span_id'))
    .where('trace_id', '=', p('trace_id'))
    .where('workspace', '=', p('workspace'))
    .where('reported', '>=', p('reported'))
    .limit(1),
)
const setCallId = prepareChange<{ id: number; call_id: string }>((q, p) =>
  q
    .updateTable('runs')
    .set({ call_id: p('call_id') })
    .where('id', '=', p('id'))
    .where('call_id', 'is', null),
)
const lastId = prepareQuery<Record<never, never>, { value: number }>((q) =>
  q.selectFrom('meta').select('value').where('key', '=', 'run_id'),
)
const setLastId = prepareChange<{ value: number }>((q, p) =>
  q
    .updateTable('meta')
    .set({ value: p('value') })
    .where('key', '=', 'run_id'),
)
const newestPage = prepareQuery<{ limit: number }, ListedRun>((q, p) =>
  q
    .selectFrom('runs')
    .select(listColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p('limit')),
)
const oldestBefore = prepareQuery<{ before: number; limit: number }, RunsTable>((q, p) =>
  q
    .selectFrom('runs')
    .selectAll()
    .where('created_at', '<', p('before'))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p('limit')),
)
const removeUpTo = prepareChange<{ created_at: number; id: number }>((q, p) =>
  q.deleteFrom('runs').where(sql<boolean>`(created_at, id) <= (${p('created_at')}, ${p('id')})`),
)

/** Returns the condition that the id of the client is in a range. */
const reportedIn = (from: string, to: string): RawBuilder<SqlBool> =>
  eitherForm<SqlBool>({
    sqlite: sql`client_run_id >= ${from} and client_run_id < ${to}`,
    postgres: sql`id in (select id from run_keys where client_run_id >= ${from} and client_run_id < ${to})`,
  })
const reportedUnder = prepareQuery<{ from: string; to: string; limit: number }, RunsTable>((q, p) =>
  q
    .selectFrom('runs')
    .selectAll()
    .where(reportedIn(p('from'), p('to')))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p('limit')),
)
const removeById = prepareChange<{ id: number }>((q, p) => q.deleteFrom('runs').where('id', '=', p('id')))

/** Returns the range of the ids of clients that begin with a prefix. */
const rangeOf = (prefix: string) => ({ from: prefix, to: `${prefix}\u{10ffff}` })

const oldest = prepareQuery<Record<never, never>, { created_at: number }>((q) =>
  q.selectFrom('runs').select('created_at').orderBy('created_at').limit(1),
)
const newest = prepareQuery<Record<never, never>, { created_at: number }>((q) =>
  q.selectFrom('runs').select('created_at').orderBy('created_at', 'desc').limit(1),
)

const oldestOf = prepareQuery<{ workspace: number }, { created_at: number }>((q, p) =>
  q
    .selectFrom('runs')
    .select('created_at')
    .where('workspace', '=', p('workspace'))
    .orderBy('created_at')
    .limit(1),
)
const newestOf = prepareQuery<{ workspace: number }, { created_at: number }>((q, p) =>
  q
    .selectFrom('runs')
    .select('created_at')
    .where('workspace', '=', p('workspace'))
    .orderBy('created_at', 'desc')
    .limit(1),
)

export const runStore = {
  insert,
  newestPage,
  async get(q: Query, id: number): Promise<RunsTable | undefined> {
    const [row] = await byId(q, { id })
    return row
  },
  async getCall(q: Query, callId: string): Promise<RunsTable | undefined> {
    const [row] = await byCallId(q, { call_id: callId })
    return row
  },
  async findReported(q: Query, reporter: number, clientRunId: string): Promise<number | undefined> {
    const [row] = await byClientRunId(q, { client_run_id: clientRunId, reporter })
    return row?.id
  },
  /** Returns the runs of any reporter with these ids. In PostgreSQL, reads only the table of keys. */
  findAllReported: (q: Query, clientRunIds: readonly string[]): Promise<ReportedRun[]> =>
    readByIds(clientRunIds, (chunk) =>
      q
        .selectFrom(runKeys.as('run_keys'))
        .select(['id', 'client_run_id', 'reporter'])
        .where('client_run_id', 'in', chunk)
        .where('reporter', 'is not', null)
        .$narrowType<{ client_run_id: string; reporter: number }>()
        .execute(),
    ),
  /** Returns those of the ids that a run has in the column. */
  async usedIds(q: Query, column: 'response_id' | 'span_id', ids: readonly string[]): Promise<string[]> {
    const rows = await readByIds(ids, (chunk) =>
      q.selectFrom('runs').select(column).where(column, 'in', chunk).execute(),
    )
    return rows.flatMap(({ [column]: id }) => id ?? [])
  },
  async findResponse(q: Query, of: Parameters<typeof byResponseId>[1]): Promise<number | undefined> {
    const [row] = await byResponseId(q, of)
    return row?.id
  },
  async findSpan(q: Query, of: Parameters<typeof bySpan>[1]): Promise<number | undefined> {
    const [row] = await bySpan(q, of)
    return row?.id
  },
  /** Sets the id of a gateway call in a run that has none. Returns the number of changed runs. */
  setCallId,
  /**
   * Returns the highest id ever assigned. It is stored separately from the rows, so that retention never makes ids
   * repeat.
   */
  async lastId(q: Query): Promise<number> {
    const [row] = await lastId(q, {})
    return row?.value ?? 0
  },
  setLastId,
  /** Returns the times of the oldest and the newest run; null without runs. */
  async ends(q: Query): Promise<{ oldest: number; newest: number } | null> {
    const [first] = await oldest(q, {})
    const [last] = await newest(q, {})
    return first === undefined || last === undefined
      ? null
      : { oldest: first.created_at, newest: last.created_at }
  },
  /** Returns the times of the oldest and the newest run of workspaces, given by the ids of their names. */
  async endsOf(q: Query, workspaces: readonly number[]): Promise<{ oldest: number; newest: number } | null> {
    const times: number[] = []
    for (const workspace of workspaces)
      for (const [row] of [await oldestOf(q, { workspace }), await newestOf(q, { workspace })])
        if (row !== undefined) times.push(row.created_at)
    return times.length === 0 ? null : { oldest: Math.min(...times), newest: Math.max(...times) }
  },
  oldestBefore,
  /** Removes the oldest runs up to and including `key`. */
  removeUpTo,
  /** Returns the oldest runs whose `client_run_id` begins with a prefix. */
  reportedUnder: (q: Query, { prefix, limit }: { readonly prefix: string; readonly limit: number }) =>
    reportedUnder(q, { ...rangeOf(prefix), limit }),
  async countReportedUnder(q: Query, prefix: string): Promise<number> {
    const { from, to } = rangeOf(prefix)
    const row = await q
      .selectFrom(runKeys.as('run_keys'))
      .select(q.fn.countAll<number>().as('count'))
      .where('client_run_id', '>=', from)
      .where('client_run_id', '<', to)
      .executeTakeFirstOrThrow()
    return row.count
  },
  removeById,
  /** Returns the runs in the order of the keys. A run that retention removed meanwhile is omitted. */
  async byIds(q: Query, keys: readonly { readonly id: number }[]): Promise<ListedRun[]> {
    const ids = keys.map(({ id }) => id)
    const rows = await readByIds(ids, (chunk) =>
      q.selectFrom('runs').select(listColumns).where('id', 'in', chunk).execute(),
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    return keys.flatMap(({ id }) => found.get(id) ?? [])
  },
}
