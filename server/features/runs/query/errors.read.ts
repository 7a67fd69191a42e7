import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { RunErrorGroup, RunErrors } from '../../../../contract/runs/run-errors.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { Scope } from '../../../lib/context.ts'
import { readFilter } from '../store/filters.ts'
import type { NameLookup } from '../store/forms.ts'
import { conditionsOf, matching, runsIn } from '../store/matching.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { createWindows, type Span } from '../store/windows.ts'
import { normalizeMessage } from './error-message.ts'
import { spanOf } from './matches.read.ts'

export type ErrorsQuery = InputOf<typeof endpoints.errors>['query']

const defaultLimit = 20
/** Maximum number of versions, apps and models of a group. */
const maxFacts = 10

const keyColumns = ['error', 'ref_key', 'version', 'env', 'app', 'model'] as const

/** Failed runs that have the same message, prompt version, app and model, as ids. */
type Facts = {
  readonly [C in (typeof keyColumns)[number]]: number | null
} & { readonly count: number; readonly first: number; readonly last: number; readonly newestId: number }

/** Groups the failed runs of a period by normalized message. */
export async function readErrors(
  q: Query,
  names: NameDictionary,
  scope: Scope,
  { limit = defaultLimit, ...filters }: ErrorsQuery,
): Promise<RunErrors> {
  const filter = await readFilter(q, names, scope, { ...filters, status: ['error'] })
  const span = filter === null ? null : await spanOf(q, filter)
  if (filter === null || span === null) return { total: 0, group_count: 0, groups: [] }
  const facts = await readFacts(q, span, conditionsOf(filter))
  const messageOf = await names.loadTexts(q, new Set(facts.flatMap(({ error }) => error ?? [])))
  const groups = [...groupByMessage(facts, messageOf)].sort(
    ([a, x], [b, y]) => countOf(y) - countOf(x) || ((a ?? '') < (b ?? '') ? -1 : 1),
  )
  const shown = groups.slice(0, limit)
  const ids = shown.flatMap(([, group]) =>
    group.flatMap((row) => keyColumns.flatMap((name) => row[name] ?? [])),
  )
  const nameOf = await names.loadTexts(q, ids)
  return {
    total: countOf(facts),
    group_count: groups.length,
    groups: shown.map(([message, group]) => wireGroup(message, group, nameOf)),
  }
}

/** Counts in SQL, so that few rows are returned, with one statement for each window of time. */
async function readFacts(
  q: Query,
  span: Span,
  conditions: ReturnType<typeof conditionsOf>,
): Promise<Facts[]> {
  const windows = createWindows(span, 'desc')
  const yieldIfDue = createYield()
  const facts: Facts[] = []
  for (let window = windows.next(); window !== null; window = windows.next()) {
    const startedAt = performance.now()
    const rows = await matching(runsIn(q, window), conditions)
      .select([
        ...keyColumns,
        ({ fn }) => fn.countAll<number>().as('count'),
        ({ fn }) => fn.min('created_at').as('first'),
        ({ fn }) => fn.max('created_at').as('last'),
        ({ fn }) => fn.max('id').as('newestId'),
      ])
      .groupBy(keyColumns)
      .execute()
    windows.adjust(performance.now() - startedAt)
    facts.push(...rows)
    await yieldIfDue()
  }
  return facts
}

function groupByMessage(facts: readonly Facts[], messageOf: NameLookup): Map<string | null, Facts[]> {
  const groups = new Map<string | null, Facts[]>()
  const normalized = new Map<number | null, string | null>()
  for (const row of facts) {
    let message = normalized.get(row.error)
    if (message === undefined) {
      message = normalizeMessage(messageOf(row.error) ?? '') || null
      normalized.set(row.error, message)
    }
    const group = groups.get(message)
    if (group === undefined) groups.set(message, [row])
    else group.push(row)
  }
  return groups
}

const countOf = (facts: readonly Facts[]): number => facts.reduce((sum, { count }) => sum + count, 0)

/** Returns the names in the rows with their numbers of runs: most frequent first, then by name. Rows without one are omitted. */
function countBy<T>(facts: readonly Facts[], factOf: (row: Facts) => T | null): (T & { count: number })[] {
  const counts = new Map<string, T & { count: number }>()
  for (const row of facts) {
    const value = factOf(row)
    if (value === null) continue
    const key = JSON.stringify(value)
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { ...value, count: row.count })
    else known.count += row.count
  }
  // The database returns groups in any order.
  return [...counts]
    .sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
    .slice(0, maxFacts)
    .map(([, counted]) => counted)
}

function wireGroup(message: string | null, facts: readonly Facts[], nameOf: NameLookup): RunErrorGroup {
  const newest = facts.reduce((latest, row) => (row.newestId > latest.newestId ? row : latest))
  return {
    message,
    count: countOf(facts),
    first_seen: new Date(
      facts.reduce((time, { first }) => Math.min(time, first), newest.first),
    ).toISOString(),
    last_seen: new Date(facts.reduce((time, { last }) => Math.max(time, last), newest.last)).toISOString(),
    versions: countBy(facts, (row) => {
      const key = nameOf(row.ref_key)
      return key === null ? null : { ref_key: key, version: nameOf(row.version), env: nameOf(row.env) }
    }),
    apps: countBy(facts, (row) => {
      const app = nameOf(row.app)
      return app === null ? null : { app }
    }),
    models: countBy(facts, ({ model }) => ({ model: nameOf(model) ?? '' })),
    example: { id: newest.newestId, error: nameOf(newest.error) },
  }
}
