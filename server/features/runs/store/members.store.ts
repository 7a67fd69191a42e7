import { type Expression, type SqlBool, sql } from 'kysely'
import { listOf } from '../../../db/dialect/expressions.ts'
import { prepareChange } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import type { MemberColumn } from './columns.ts'

export const insertMember = prepareChange<{ member: string; id: number }>((q, p) =>
  q.insertInto('name_members').values({ member: p('member'), name_id: p('id') }),
)

/** The lists, such as sets of tags, that contain one of the members. */
export type MemberMatch = {
  readonly members: readonly string[]
  /** Ids of the lists; null if there are too many to list. */
  readonly ids: readonly number[] | null
}

/** Beyond this number, lists are looked up per run instead of listed in the statement. */
const maxListed = 2000

/** Finds the lists that contain one of these members. */
export async function findLists(q: Query, members: readonly string[]): Promise<MemberMatch> {
  const rows = await q
    .selectFrom('name_members')
    .select('name_id')
    .distinct()
    .where('member', 'in', members)
    .limit(maxListed + 1)
    .execute()
  return { members, ids: rows.length > maxListed ? null : rows.map((row) => row.name_id) }
}

/** Returns an SQL condition: the list of the run contains one of the members. */
export function containsMember(column: MemberColumn, { members, ids }: MemberMatch): Expression<SqlBool> {
  if (ids !== null) return sql<SqlBool>`${sql.ref(column)} in (${listOf(ids)})`
  return sql<SqlBool>`exists (select 1 from name_members
    where name_id = ${sql.ref(`runs.${column}`)} and member in (${sql.join(members)}))`
}
