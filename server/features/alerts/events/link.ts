import { kindFacts } from '../../../../contract/alerts/alert.ts'
import type { Query } from '../../../db/types.ts'
import { minuteMs } from '../../../lib/durations.ts'
import { findWorkspaceById } from '../../../resources/workspaces.read.ts'
import { filtersOf } from '../rules/filters.ts'
import type { RuleRow } from '../rules/rules.store.ts'

export type LinkTarget = {
  /** Slug of the workspace; null for all. */
  readonly workspace: string | null
  readonly at: Date
  /** The provider that fails, if the alert is not limited to one. */
  readonly provider?: string | undefined
}

/** Returns the console path of the rows that an evaluation measured. */
export function linkOf(rule: RuleRow, { workspace, at, provider }: LinkTarget): string {
  const params = new URLSearchParams()
  if (workspace !== null) params.set('workspace', workspace)
  if (kindFacts[rule.kind].unit === 'clients') return pathOf('/clients', params)
  const filters = { ...filtersOf(rule), ...(provider !== undefined && { provider: [provider] }) }
  for (const [name, values] of Object.entries(filters)) {
    for (const value of values ?? []) params.append(name, value)
  }
  if (rule.kind === 'error_rate' || rule.kind === 'provider_down') params.set('status', 'error')
  if (rule.kind === 'latency') params.set('min_latency_ms', String(Math.floor(rule.threshold)))
  params.set('from', new Date(at.getTime() - rule.period_minutes * minuteMs).toISOString())
  params.set('to', at.toISOString())
  return pathOf('/runs', params)
}

const pathOf = (path: string, params: URLSearchParams): string =>
  params.size === 0 ? path : `${path}?${params}`

/** Returns the console path of the rows of the period that ends at `at`. */
export async function linkAt(q: Query, rule: RuleRow, at: Date): Promise<string> {
  const { workspace_id: id } = rule
  const workspace = id === null ? undefined : await findWorkspaceById(q, id)
  return linkOf(rule, { at, workspace: workspace?.slug ?? null })
}
