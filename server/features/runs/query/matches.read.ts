import { type Expression, type SqlBool, sql } from 'kysely'
import type { Query } from '../../../db/types.ts'
import { filterColumns } from '../store/columns.ts'
import type { RunFilter } from '../store/filters.ts'
import { type RunKey, runStore } from '../store/runs.store.ts'
import { containsWord } from '../store/words.store.ts'
import { type Direction, type Span, windowsOf } from './windows.ts'

/** Maximum number of keys that one statement returns. */
const keysPerStatement = 4000

/** Returns the conditions of a filter, except those on time. Ids are literals, so SQLite can use every index. */
function conditionsOf(filter: RunFilter): Expression<SqlBool>[] {
  const { columns, statuses, minLatency, maxLatency } = filter
  const conditions: Expression<SqlBool>[] = []
  const restrict = (name: string, values: readonly (number | string)[] | undefined) => {
    if (values === undefined) return
    const list = values.map((value) => (typeof value === 'number' ? sql.lit(value) : sql.val(value)))
    const column = sql.ref(name)
    conditions.push(
      list.length === 1
        ? sql<SqlBool>`${column} = ${list[0]}`
        : sql<SqlBool>`${column} in (${sql.join(list)})`,
    )
  }
  for (const name of filterColumns) restrict(name, columns[name])
  restrict('status', statuses)
  if (minLatency !== undefined) conditions.push(sql<SqlBool>`latency_us >= ${minLatency}`)
  if (maxLatency !== undefined) conditions.push(sql<SqlBool>`latency_us <= ${maxLatency}`)
  for (const word of filter.words) conditions.push(containsWord(word))
  return conditions
}

/** Returns the part of the log that a filter includes; null if the log is empty. */
async function spanOf(q: Query, { from, to }: RunFilter): Promise<Span | null> {
  const log = await runStore.ends(q)
  return log === null
    ? null
    : { from: Math.max(from ?? log.oldest, log.oldest), to: Math.min(to ?? log.newest + 1, log.newest + 1) }
}

/** Returns the matching runs created in a window. */
function matchesIn(q: Query, conditions: readonly Expression<SqlBool>[], { from, to }: Span) {
  let query = q.selectFrom('runs').where('created_at', '>=', from).where('created_at', '<', to)
  for (const condition of conditions) query = query.where(condition)
  return query
}

/** Returns the number of matching runs, counting up to `most`. */
export async function countMatches(q: Query, filter: RunFilter, most: number): Promise<number> {
  const span = await spanOf(q, filter)
  if (span === null) return 0
  const conditions = conditionsOf(filter)
  let count = 0
  for await (const window of windowsOf(span, 'desc')) {
    const rows = matchesIn(q, conditions, window)
      .select('id')
      .limit(most - count)
    const [row] = await q
      .selectFrom(rows.as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .execute()
    count += row?.n ?? 0
    if (count >= most) break
  }
  return count
}

/** Returns the keys of up to `most` matching runs after `after`, in order. */
export async function readKeys(
  q: Query,
  filter: RunFilter,
  direction: Direction,
  after: RunKey | undefined,
  most: number,
): Promise<RunKey[]> {
  const span = await spanOf(q, filter)
  if (span === null) return []
  const conditions = conditionsOf(filter)
  const keys: RunKey[] = []
  for await (const window of windowsOf(spanAfter(span, direction, after), direction)) {
    let last = after
    for (;;) {
      const size = Math.min(most - keys.length, keysPerStatement)
      const found = await keysAfter(matchesIn(q, conditions, window), direction, last, size)
      keys.push(...found)
      if (keys.length >= most) return keys
      if (found.length < size) break
      last = found.at(-1)
    }
  }
  return keys
}

/** Returns the part of a span that contains the keys after `after`. */
function spanAfter({ from, to }: Span, direction: Direction, after: RunKey | undefined): Span {
  if (after === undefined) return { from, to }
  return direction === 'desc'
    ? { from, to: Math.min(to, after.created_at + 1) }
    : { from: Math.max(from, after.created_at), to }
}

function keysAfter(
  matches: ReturnType<typeof matchesIn>,
  direction: Direction,
  after: RunKey | undefined,
  limit: number,
): Promise<RunKey[]> {
  let query = matches
  if (after !== undefined) {
    const end = sql`(${after.created_at}, ${after.id})`
    query = query.where(
      direction === 'desc'
        ? sql<SqlBool>`(created_at, id) < ${end}`
        : sql<SqlBool>`(created_at, id) > ${end}`,
    )
  }
  return query
    .select(['created_at', 'id'])
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute()
}
