import { type Expression, type SqlBool, sql } from 'kysely'
import { listOf } from '../../../db/dialect/expressions.ts'
import { prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import { type SearchedColumn, searchedColumns } from './columns.ts'

/** The names that contain a word with the given prefix. */
export type WordMatch = {
  readonly from: string
  /** Exclusive. */
  readonly to: string
  readonly isEmpty: boolean
  /** The matching names with their columns; null if there are too many to list. */
  readonly found: readonly { readonly column: SearchedColumn; readonly id: number }[] | null
}

/** Beyond this number, names are looked up per run instead of listed in the statement. */
const maxListed = 2000

const namesWith = prepareQuery<{ from: string; to: string; limit: number }, { id: number; kind: string }>(
  (q, p) =>
    q
      .selectFrom('name_words')
      .innerJoin('names', 'names.id', 'name_words.name_id')
      .select(['names.id', 'names.kind'])
      .where('word', '>=', p('from'))
      .where('word', '<', p('to'))
      .limit(p('limit')),
)

/** Finds the names that contain a word with this prefix. */
export async function searchNames(q: Query, word: string): Promise<WordMatch> {
  // U+10FFFF sorts after every character that can follow the prefix.
  const to = `${word}\u{10FFFF}`
  const rows = await namesWith(q, { from: word, to, limit: maxListed + 1 })
  if (rows.length > maxListed) return { from: word, to, isEmpty: false, found: null }
  const byId = new Map(rows.map(({ id, kind }) => [id, kind as SearchedColumn]))
  const found = [...byId].map(([id, column]) => ({ id, column }))
  return { from: word, to, isEmpty: found.length === 0, found }
}

/** Returns an SQL condition: the run contains the word in a searched column. The match must not be empty. */
export function containsWord({ found, from, to }: WordMatch): Expression<SqlBool> {
  if (found === null) {
    const perColumn = searchedColumns.map(
      (column) => sql`exists (select 1 from name_words
        where name_id = ${sql.ref(`runs.${column}`)} and word >= ${from} and word < ${to})`,
    )
    return sql<SqlBool>`(${sql.join(perColumn, sql` or `)})`
  }
  const parts = searchedColumns.flatMap((column) => {
    const ids = found.filter((name) => name.column === column).map(({ id }) => id)
    return ids.length === 0 ? [] : [sql`${sql.ref(column)} in (${listOf(ids)})`]
  })
  return sql<SqlBool>`(${sql.join(parts, sql` or `)})`
}
