import { sql } from 'kysely'
import type { z } from 'zod'
import type { AuditDetail, AuditEntry, ListAuditQuery } from '../../../contract/system/audit.ts'
import type { AuditTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { entryById } from '../../history/chain/audit.store.ts'
import type { Context } from '../../lib/context.ts'
import { numberKey, orders, type PagePlan, planPage, type Total, toPage, totalCap } from '../../lib/paging.ts'
import { forEachWindow } from './adaptive-windows.ts'
import {
  type AuditFilters,
  entriesOf,
  type Selection,
  type Span,
  select,
  visibleEntries,
} from './filters.read.ts'

/** Entries are numbered in the order of their times. */
const order = orders({ created_at: [numberKey('id')] })

/** The columns of an entry without its values and its hashes. */
export const entryColumns = [
  'id',
  'created_at',
  'actor',
  'actor_id',
  'actor_kind',
  'action',
  'resource',
  'resource_id',
  'key',
  'workspace_id',
  'summary',
  'ip',
  'request_id',
] as const satisfies readonly (keyof AuditTable)[]
const listColumns = [...entryColumns, 'hash'] as const
type ListRow = Pick<AuditTable, (typeof listColumns)[number]>

export async function listEntries(q: Query, ctx: Context, query: z.output<typeof ListAuditQuery>) {
  const plan = planPage(query, order(query.sort ?? '-created_at'))
  const selection = await select(q, ctx, query)
  const ids = await pageIds(q, selection, plan)
  const rows = await q.selectFrom('audit').select(listColumns).where('id', 'in', ids).execute()
  const sign = plan.order.direction === 'asc' ? 1 : -1
  rows.sort((a, b) => sign * (a.id - b.id))
  return toPage(plan, rows, await totalOf(q, selection, plan.isFiltered), (row) => [row.id], toEntry)
}

/** Returns the ids of the page in its order, and one more if another page follows. */
async function pageIds(q: Query, selection: Selection, plan: PagePlan): Promise<number[]> {
  const { direction } = plan.order
  const ids: number[] = []
  const wanted = plan.offset + plan.limit + 1
  await forEachWindow(afterCursor(selection.span, plan), direction, async (window) => {
    const rows = await entriesOf(q, selection, window)
      .select('audit.id')
      .orderBy('audit.id', direction)
      .limit(wanted - ids.length)
      .execute()
    ids.push(...rows.map((row) => row.id))
    return ids.length < wanted
  })
  return ids.slice(plan.offset)
}

function afterCursor(span: Span, { after, order: { direction } }: PagePlan): Span {
  const last = after?.[0]
  if (typeof last !== 'number') return span
  return direction === 'asc'
    ? { ...span, from: Math.max(span.from, last + 1) }
    : { ...span, to: Math.min(span.to, last) }
}

async function totalOf(q: Query, selection: Selection, isFiltered: boolean): Promise<Total> {
  const { span, columns, words, visible } = selection
  const cap = (count: number): Total =>
    isFiltered && count > totalCap ? { total: totalCap, isCapped: true } : { total: count, isCapped: false }
  if (columns.length === 0 && words.length === 0 && visible === null)
    return cap(Math.max(0, span.to - span.from))
  let count = 0
  await forEachWindow(span, 'desc', async (window) => {
    const found = entriesOf(q, selection, window)
      .select('audit.id')
      .limit(isFiltered ? totalCap + 1 - count : Number.MAX_SAFE_INTEGER)
    const [row] = await q.selectFrom(found.as('found')).select(sql<number>`count(*)`.as('count')).execute()
    count += row?.count ?? 0
    // The total of everything that the caller sees is exact.
    return !isFiltered || count <= totalCap
  })
  return cap(count)
}

export async function findEntry(q: Query, ctx: Context, id: number): Promise<AuditDetail | null> {
  const row = await entryById(q, id)
  const visible = visibleEntries(ctx)
  if (visible !== null) {
    const found = q.selectFrom('audit').select('id').where('id', '=', id).where(visible)
    if ((await found.executeTakeFirst()) === undefined) return null
  }
  return row === undefined ? null : toDetail(row)
}

/** Rows per chunk of an export. */
const exportChunk = 200

/** Yields every selected entry up to `last` in chunks, oldest first. */
export async function* streamEntries(
  q: Query,
  ctx: Context,
  filters: AuditFilters,
  last: number,
): AsyncGenerator<AuditTable[]> {
  const selection = await select(q, ctx, filters)
  let span: Span = { from: selection.span.from, to: Math.min(selection.span.to, last + 1) }
  while (span.from < span.to) {
    let rows: AuditTable[] = []
    let reached = span.to
    await forEachWindow(span, 'asc', async (window) => {
      rows = await entriesOf(q, selection, window)
        .selectAll('audit')
        .orderBy('audit.id')
        .limit(exportChunk)
        .execute()
      reached = rows.length < exportChunk ? window.to : (rows.at(-1)?.id ?? 0) + 1
      return rows.length === 0
    })
    if (rows.length > 0) yield rows
    span = { from: reached, to: span.to }
  }
}

function toEntry(row: ListRow): AuditEntry {
  // `record` writes action, resource and kind from the contract's lists.
  return {
    ...row,
    created_at: new Date(row.created_at).toISOString(),
    action: row.action as AuditEntry['action'],
    resource: row.resource as AuditEntry['resource'],
    actor_kind: row.actor_kind as AuditEntry['actor_kind'],
  }
}

function toDetail({ before, after, prev_hash, ...row }: AuditTable): AuditDetail {
  return {
    ...toEntry(row),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
    prev_hash,
  }
}
