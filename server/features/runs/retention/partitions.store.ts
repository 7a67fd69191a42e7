import { sql } from 'kysely'
import type { Partition } from '../../../db/dialect/partitions.ts'
import { dimensions, summedColumns } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { dayMs } from '../../../lib/durations.ts'

/*
 * Removal of a whole partition: its share of everything that counts runs is subtracted with few statements, then its
 * table is dropped. A partition has whole UTC days, so its share of the roll-ups is exactly that of these days.
 * PostgreSQL only: no other engine has partitions.
 */

const names = [...dimensions, 'value', 'status'] as const
const sums = ['n', ...summedColumns, 'cost_unknown'] as const
const refs = (columns: readonly string[], table?: string) =>
  sql.join(columns.map((column) => sql.ref(table === undefined ? column : `${table}.${column}`)))

/** Negates a histogram: `5:2 7:-1` becomes `5:-2 7:1`. */
const negated = (column: string) => sql`replace(replace(${sql.ref(column)}, ':', ':-'), '--', '')`
/** Adds a histogram to a stored one. Readers sum repeated buckets. */
const joined = (column: string) =>
  sql`${sql.ref(column)} = trim(concat(m.${sql.ref(column)}, ' ', d.${sql.ref(column)}))`

/** Returns the start of the month of a UTC day, in epoch milliseconds. */
const monthOf = sql`(extract(epoch from date_trunc('month', to_timestamp(start / 1000) at time zone 'UTC')
  at time zone 'UTC') * 1000)::bigint`

/** Subtracts the days of a partition from the months, and removes the days, hours and cells. */
async function subtractDays(q: Query, { from, to }: Partition): Promise<void> {
  const inDays = sql`start >= ${sql.lit(from ?? -8.64e15)} and start < ${sql.lit(to)}`
  const same = sql.join(
    ['slice', ...names].map((column) => sql`m.${sql.ref(column)} = d.${sql.ref(column)}`),
    sql` and `,
  )
  await sql`update run_rollups as m set
      ${sql.join(sums.map((column) => sql`${sql.ref(column)} = m.${sql.ref(column)} - d.${sql.ref(column)}`))},
      ${joined('latencies')}, ${joined('ttfts')}
    from (
      select ${monthOf} as month, slice, ${refs(names)},
        ${sql.join(sums.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`))},
        string_agg(${negated('latencies')}, ' ') as latencies, string_agg(${negated('ttfts')}, ' ') as ttfts
      from run_rollups where tier = 2 and ${inDays} group by 1, slice, ${refs(names)}
    ) as d where m.tier = 3 and m.start = d.month and ${same}`.execute(q)
  await sql`delete from run_rollups where tier = 3 and n = 0
    and start >= ${sql.lit(from === null ? -8.64e15 : from - 31 * dayMs)} and start < ${sql.lit(to)}`.execute(
    q,
  )
  await sql`delete from run_rollups where tier in (0, 1, 2) and ${inDays}`.execute(q)
}

/** Collects the figures of the sessions of a partition, before its table is dropped. */
async function collectSessions(q: Query, name: string): Promise<void> {
  await sql`create temporary table removed_sessions on commit drop as
    select session_id, workspace, count(*) as runs, sum(status) as errors, coalesce(sum(total_tokens), 0) as total_tokens,
      coalesce(sum(cost_nano), 0) as cost_nano, count(cost_nano) as priced
    from ${sql.table(name)} where session_id is not null group by session_id, workspace`.execute(q)
}

/** Subtracts the collected figures from the sessions. Runs after the drop, so that the first remaining run is found. */
async function subtractSessions(q: Query): Promise<void> {
  await sql`delete from run_sessions as s using removed_sessions as r
    where s.session_id = r.session_id and s.workspace = r.workspace and s.runs <= r.runs`.execute(q)
  await sql`update run_sessions as s set
      runs = s.runs - r.runs, errors = s.errors - r.errors, total_tokens = s.total_tokens - r.total_tokens,
      cost_nano = s.cost_nano - r.cost_nano, priced = s.priced - r.priced,
      first_at = coalesce((select created_at from runs where session_id = s.session_id and workspace = s.workspace
        order by created_at limit 1), s.first_at)
    from removed_sessions as r where s.session_id = r.session_id and s.workspace = r.workspace`.execute(q)
}

async function removeKeys(q: Query, name: string): Promise<void> {
  const partition = sql.table(name)
  await sql`delete from run_keys as k using ${partition} as r
    where k.client_run_id = r.client_run_id and k.reporter = r.reporter`.execute(q)
  await sql`delete from run_calls as c using ${partition} as r where c.call_id = r.call_id`.execute(q)
}

/** Removes the runs of a partition with their part of the statistics. Returns their number and their workspaces. */
export async function dropPartition(
  q: Query,
  partition: Partition,
): Promise<{ readonly count: number; readonly workspaces: readonly number[] }> {
  const { name } = partition
  const { rows } = await sql<{ workspace: number; n: number }>`select workspace, count(*) as n
    from ${sql.table(name)} group by workspace`.execute(q)
  await collectSessions(q, name)
  await removeKeys(q, name)
  await sql`drop table ${sql.table(name)}`.execute(q)
  await subtractSessions(q)
  await subtractDays(q, partition)
  return {
    count: rows.reduce((sum, { n }) => sum + n, 0),
    workspaces: rows.map(({ workspace }) => workspace),
  }
}
