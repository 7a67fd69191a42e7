import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { ListAuditQuery } from '../../../contract/system/audit.ts'
import { never } from '../../db/dialect/expressions.ts'
import { inScope } from '../../db/dialect/in-scope.ts'
import { jsonField } from '../../db/dialect/json.ts'
import type { Schema } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { newestEntry } from '../../history/chain/audit.store.ts'
import type { Context } from '../../lib/context.ts'
import { seesAll, visibleIds } from '../../lib/scope.ts'
import { plainText } from '../../lib/text/plain-text.ts'
import { wordsOf } from '../../lib/text/words.ts'
import { workspaceIdsOf } from '../../resources/workspaces.read.ts'

export type AuditFilters = Omit<z.output<typeof ListAuditQuery>, 'limit' | 'offset' | 'cursor' | 'sort'>

/**
 * Entry numbers, `from` inclusive, `to` exclusive. The log has no gaps, so the width of a span is its number
 * of entries.
 */
export type Span = { readonly from: number; readonly to: number }

/**
 * Filters prepared for SQL, with times converted to a span. Without conditions every entry of the span
 * matches.
 */
export type Selection = {
  readonly span: Span
  readonly columns: readonly (readonly [Column, readonly string[]])[]
  readonly words: readonly string[]
  /** The condition for the entries that exist for the caller; null: all. */
  readonly visible: Expression<SqlBool> | null
}

const columns = ['actor', 'action', 'resource', 'resource_id', 'key', 'workspace_id'] as const
type Column = (typeof columns)[number]

const emptySpan: Span = { from: 1, to: 1 }

/** Prepares filters for SQL. */
export async function select(q: Query, ctx: Context, filters: AuditFilters): Promise<Selection> {
  const words = filters.q === undefined ? [] : wordsOf(filters.q)
  // Punctuation alone contains no word, so nothing matches.
  const span = filters.q !== undefined && words.length === 0 ? emptySpan : await spanOf(q, filters)
  const workspace_id = filters.workspace && (await workspaceIds(q, filters.workspace))
  const valuesOf: Readonly<Partial<Record<Column, readonly string[] | undefined>>> = {
    ...filters,
    workspace_id,
  }
  return {
    span,
    words,
    visible: visibleEntries(ctx),
    // Names in the log are stored as plain text, so filter values are converted too.
    columns: columns.flatMap((column) => {
      const values = valuesOf[column]
      return values === undefined ? [] : [[column, values.map((value) => plainText(value, 200))] as const]
    }),
  }
}

/**
 * Returns the condition for the entries that exist for a caller; null: all. With listed workspaces these are the
 * entries of these workspaces, and those of no workspace that are about the caller's own account. An entry about a
 * move shows both workspaces, so both must be visible.
 */
export function visibleEntries({ actor, scope }: Context): Expression<SqlBool> | null {
  if (seesAll(scope)) return null
  const { kind, id } = actor
  const isOfWorkspace = inScope(scope, 'audit.workspace_id')
  const from = jsonField('audit.before', 'workspace_id')
  const ids = visibleIds(scope) ?? []
  const isFromVisible =
    ids.length === 0 ? never : sql<SqlBool>`(${from} is null or ${from} in (${sql.join(ids)}))`
  const isOwn = sql<SqlBool>`((audit.actor_kind = ${kind} and audit.actor_id = ${id})
    or (${kind} = 'user' and audit.resource = 'user' and audit.resource_id = ${id}))`
  return sql<SqlBool>`((${isOfWorkspace} and ${isFromVisible}) or (audit.workspace_id is null and ${isOwn}))`
}

/**
 * Returns the entry numbers of a time range. Times in the log never decrease, so a time range is one span.
 */
async function spanOf(q: Query, { from, to }: AuditFilters): Promise<Span> {
  const newest = await newestEntry(q)
  if (newest === undefined) return emptySpan
  const firstAt = async (time: Date): Promise<number> => {
    const row = await q
      .selectFrom('audit')
      .select('id')
      .where('created_at', '>=', time.getTime())
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    return row?.id ?? newest.id + 1
  }
  return {
    from: from === undefined ? 1 : await firstAt(from),
    to: to === undefined ? newest.id + 1 : await firstAt(to),
  }
}

/**
 * Returns ids of workspaces for ids or slugs, because entries contain the id. The id of a deleted workspace
 * still matches.
 */
async function workspaceIds(q: Query, idsOrSlugs: readonly string[]): Promise<string[]> {
  const rows = await workspaceIdsOf(q, idsOrSlugs).execute()
  return [...new Set([...idsOrSlugs, ...rows.map((row) => row.id)])]
}

export function entriesOf(q: Query, { columns: conditions, words, visible }: Selection, window: Span) {
  let query: SelectQueryBuilder<Schema, 'audit', object> = q
    .selectFrom('audit')
    .where('audit.id', '>=', window.from)
    .where('audit.id', '<', window.to)
  if (visible !== null) query = query.where(visible)
  for (const [column, values] of conditions) {
    const [first] = values
    query =
      values.length === 1 && first !== undefined
        ? query.where(`audit.${column}`, '=', first)
        : query.where(`audit.${column}`, 'in', values)
  }
  for (const word of words) {
    query = query.where(
      sql<boolean>`audit.id in (
        select audit_id from audit_postings
        where term_id in (select id from audit_terms where word >= ${word} and word < ${`${word}\u{10ffff}`})
          and audit_id >= ${window.from} and audit_id < ${window.to})`,
    )
  }
  return query
}
