import type { Paging } from '../../contract/common/fields.ts'
import { versionNumber } from '../../contract/prompts/prompt.ts'
import { fail } from '../lib/fail.ts'
import {
  numberKey,
  orders,
  type PagePlan,
  type PageReply,
  planPage,
  type Total,
  toPage,
} from '../lib/paging.ts'

/** Returns the label of a version: 3 is `v3`. */
export const labelOf = (version: number): string => `v${version}`

/** Returns true if a label in a request names this version. `3` and `v3` are the same. */
export const isLabelOf = (label: string, version: number): boolean =>
  label === labelOf(version) || label === String(version)

/** Returns the version. Throws 404 if it does not exist. */
export async function requiredVersion<Row>(
  version: number,
  find: (version: number) => Promise<Row | undefined>,
): Promise<Row> {
  const row = await find(version)
  if (row === undefined) throw fail('not_found', { detail: `Version ${labelOf(version)} not found.` })
  return row
}

/** Returns the version that a label names. Throws 404 if it does not exist. `newest` is 0 without versions. */
export async function versionNamed<Row>(
  label: string,
  newest: number,
  find: (version: number) => Promise<Row | undefined>,
): Promise<Row> {
  const version = versionNumber(label)
  const row = version === null ? undefined : await find(version)
  if (row !== undefined) return row
  const existing = newest === 0 ? 'nothing is published yet' : `the newest is ${labelOf(newest)}`
  throw fail('not_found', { detail: `Version ${label} not found; ${existing}.` })
}

const versionOrder = orders({ version: [numberKey('version')] })

/** Returns a page of versions, newest first unless the query has another order. */
export async function pageOfVersions<Row extends { readonly version: number }, Wire>(
  query: Paging & { readonly sort?: 'version' | '-version' | undefined },
  list: (plan: PagePlan) => Promise<{ readonly rows: readonly Row[]; readonly total: Total }>,
  toWire: (row: Row) => Wire,
): Promise<PageReply<Wire>> {
  const plan = planPage(query, versionOrder(query.sort ?? '-version'))
  const { rows, total } = await list(plan)
  return toPage(plan, rows, total, (row) => [row.version], toWire)
}
