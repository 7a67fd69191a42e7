import { sql } from 'kysely'
import { dayMs } from '../../lib/durations.ts'
import type { PartitionUnit, Query } from '../types.ts'
import { runnerOf } from './query.ts'
import { sqliteDialect } from './sqlite.ts'

/*
 * Partitions of the run log by `created_at`. Only PostgreSQL has them. In SQLite, lists of partitions are
 * empty and no partition is created.
 */

/** A partition with the times from `from` (null: all earlier ones) to before `to`, in epoch milliseconds. */
export type Partition = { readonly name: string; readonly from: number | null; readonly to: number }
export type Period = { readonly from: number; readonly to: number }

/** Returns the UTC day or month that contains a time. */
export function periodOf(unit: PartitionUnit, at: number): Period {
  if (unit === 'day') {
    const from = Math.floor(at / dayMs) * dayMs
    return { from, to: from + dayMs }
  }
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) }
}

export const isIn = ({ from, to }: Partition, at: number): boolean => (from === null || from <= at) && at < to

/** The partition of runs that no other one accepts. It is empty unless something else writes to the database. */
const defaultName = 'runs_default'

const hasPartitions = (q: Query): boolean => runnerOf(q).dialect !== sqliteDialect

/** Returns the partitions of the run log in the order of time, without the default one. */
export async function partitionsOf(q: Query): Promise<readonly Partition[]> {
  if (!hasPartitions(q)) return []
  const { rows } = await sql<Partition>`
    select name, nullif(bounds[1], 'MINVALUE')::bigint as "from", bounds[2]::bigint as "to" from (
      select c.relname::text as name, regexp_match(pg_get_expr(c.relpartbound, c.oid),
        'FROM [(]''?(MINVALUE|-?[0-9]+)''?[)] TO [(]''?(-?[0-9]+)''?[)]') as bounds
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass('runs') and c.relname <> ${defaultName}
    ) as listed order by "from" nulls first`.execute(q)
  return rows
}

/** Returns the number of runs in the default partition, at most `limit`. */
export async function countInDefault(q: Query, limit: number): Promise<number> {
  if (!hasPartitions(q)) return 0
  const { rows } = await sql<{ n: number }>`select count(*) as n
    from (select from ${sql.table(defaultName)} limit ${sql.lit(limit)}) as found`.execute(q)
  return rows[0]?.n ?? 0
}

/**
 * Creates a partition for the period `around`, which contains the time `at`, without the times of existing
 * partitions. Returns the partition of the time, new or existing; null for an engine without partitions.
 */
export async function ensurePartition(q: Query, at: number, around: Period): Promise<Partition | null> {
  if (!hasPartitions(q)) return null
  const existing = await partitionsOf(q)
  const found = existing.find((partition) => isIn(partition, at))
  if (found !== undefined) return found
  const earlier = existing.filter(({ to }) => to <= at).map(({ to }) => to)
  const later = existing.flatMap(({ from }) => (from !== null && from > at ? [from] : []))
  const from = Math.max(around.from, ...earlier)
  const to = Math.min(around.to, ...later)
  const name = `runs_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`
  await createPartition(q, { name, from, to })
  return { name, from, to }
}

/**
 * Creates a partition and moves rows of its period from the default partition to it. The effects of the
 * triggers of both changes cancel out.
 */
async function createPartition(q: Query, { name, from, to }: Partition & Period): Promise<void> {
  const inPeriod = sql`created_at >= ${sql.lit(from)} and created_at < ${sql.lit(to)}`
  const { rows } = await sql`select 1 from ${sql.table(defaultName)} where ${inPeriod} limit 1`.execute(q)
  if (rows.length > 0) {
    await sql`create temporary table moved_runs on commit drop as
      select * from ${sql.table(defaultName)} where ${inPeriod}`.execute(q)
    await sql`delete from runs where ${inPeriod}`.execute(q)
  }
  await sql`create table ${sql.table(name)} partition of runs
    for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(q)
  if (rows.length > 0) await sql`insert into runs select * from moved_runs`.execute(q)
}
