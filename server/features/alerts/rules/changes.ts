import {
  type CreateAlertBody,
  defaultMinRuns,
  kindFacts,
  type UpdateAlertBody,
} from '../../../../contract/alerts/alert.ts'
import type { Query } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { invalid } from '../../../lib/fail.ts'
import { seesAll } from '../../../lib/scope.ts'
import { fold } from '../../../lib/text/search.ts'
import { requiredWorkspace } from '../../../resources/required-workspace.ts'
import { filtersOf, filtersText } from './filters.ts'
import type { RuleRow } from './rules.store.ts'
import { noWebhook, planWebhook, type WebhookDeps } from './webhook-change.ts'

export type ChangeDeps = WebhookDeps & { readonly read: Query }

/** The columns that decide when an alert fires. */
const conditionColumns = [
  'statistic',
  'workspace_id',
  'filters',
  'period_minutes',
  'threshold',
  'min_runs',
] as const satisfies readonly (keyof RuleRow)[]

export const isSameCondition = (a: RuleRow, b: RuleRow): boolean =>
  conditionColumns.every((column) => a[column] === b[column])

/** Returns the row of a new alert. Throws a 422 that names the field. Stores nothing. */
export function planRule(
  deps: ChangeDeps,
  ctx: Context,
  id: string,
  body: CreateAlertBody,
): Promise<RuleRow> {
  const nowMs = ctx.now.getTime()
  const empty: RuleRow = {
    id,
    name: body.name,
    name_folded: '',
    kind: body.kind,
    statistic: null,
    workspace_id: null,
    filters: '{}',
    period_minutes: body.period_minutes,
    threshold: body.threshold,
    min_runs: defaultMinRuns,
    enabled: 1,
    desktop: 0,
    ...noWebhook,
    created_by: ctx.actor.name,
    updated_by: ctx.actor.name,
    created_at: nowMs,
    updated_at: nowMs,
  }
  return planChange(deps, ctx, empty, body)
}

/** Returns the row after a change. Throws a 422 that names the field. Stores nothing. */
export async function planChange(
  deps: ChangeDeps,
  ctx: Context,
  before: RuleRow,
  body: Omit<UpdateAlertBody, 'kind'>,
): Promise<RuleRow> {
  const name = body.name ?? before.name
  const row: RuleRow = {
    ...before,
    name,
    name_folded: fold(name),
    statistic: statisticOf(before, body.statistic),
    workspace_id: await workspaceIdOf(deps.read, ctx, before, body.workspace),
    filters: body.filters === undefined ? before.filters : filtersText(body.filters ?? {}),
    period_minutes: body.period_minutes ?? before.period_minutes,
    threshold: body.threshold ?? before.threshold,
    min_runs: body.min_runs ?? before.min_runs,
    enabled: bitOf(body.enabled, before.enabled),
    desktop: bitOf(body.desktop, before.desktop),
  }
  requireValidThreshold(row)
  requireKnownFilters(row)
  return { ...row, ...(await planWebhook(deps, ctx, before, body.webhook)) }
}

const bitOf = (value: boolean | undefined, before: number): number =>
  value === undefined ? before : Number(value)

function statisticOf(
  { kind, statistic }: RuleRow,
  requested: RuleRow['statistic'] | undefined,
): RuleRow['statistic'] {
  if (kind === 'latency') return (requested === undefined ? statistic : requested) ?? 'p95'
  if (requested) throw invalid('statistic', 'Only an alert on latency has a statistic')
  return null
}

async function workspaceIdOf(
  q: Query,
  { scope }: Context,
  before: RuleRow,
  requested: string | null | undefined,
): Promise<string | null> {
  const chosen = requested === undefined ? before.workspace_id : requested
  if (chosen === null && !seesAll(scope))
    throw invalid('workspace', 'Choose one of your workspaces: an alert on all requires access to all')
  if (requested === undefined || requested === null) return chosen
  return (await requiredWorkspace(q, scope, requested, 'workspace')).id
}

function requireValidThreshold({ kind, threshold }: RuleRow): void {
  const { min, max, isWhole } = kindFacts[kind]
  if (threshold < min || threshold > max) {
    throw invalid('threshold', `Must be between ${min} and ${max} for this kind`)
  }
  if (isWhole && !Number.isInteger(threshold)) {
    throw invalid('threshold', 'Must be a whole number for this kind')
  }
}

function requireKnownFilters(row: RuleRow): void {
  const { filters: allowed } = kindFacts[row.kind]
  for (const name of Object.keys(filtersOf(row))) {
    if (!allowed.some((each) => each === name)) {
      throw invalid(`filters.${name}`, 'This kind of alert does not have this filter')
    }
  }
}
