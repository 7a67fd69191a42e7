import type { Alert, AlertState } from '../../../../contract/alerts/alert.ts'
import { permissionRoles } from '../../../../contract/common/roles.ts'
import type { Context } from '../../../lib/context.ts'
import { hasRoleIn } from '../../../lib/scope.ts'
import { timeOf } from '../../../resources/changes.ts'
import type { Vault } from '../../../secrets/vault.ts'
import { filtersOf } from './filters.ts'
import type { RuleRow, StateRow } from './rules.store.ts'
import { secretsOf } from './secrets.ts'
import { originOf } from './webhook-change.ts'

/** The result of the latest evaluation of an alert, which is only in memory. */
export type LatestReading = {
  readonly value: number | null
  readonly reason: string | null
  readonly at: Date
}

function stateOf(row: RuleRow, state: StateRow | undefined, latest: LatestReading | undefined): AlertState {
  const isOff = row.enabled === 0
  return {
    status: isOff ? 'off' : (state?.status ?? 'pending'),
    since: isOff || state === undefined ? null : timeOf(state.since),
    value: isOff ? null : (latest?.value ?? null),
    reason: isOff ? null : (latest?.reason ?? null),
    evaluated_at: isOff ? null : (latest?.at.toISOString() ?? null),
  }
}

/** Addresses of webhooks often contain a credential, so only callers who may set them see them. */
const maySeeAddress = ({ scope }: Context, { workspace_id: id }: RuleRow): boolean =>
  hasRoleIn(scope, id, permissionRoles['alerts.write'])

function webhookOf(vault: Vault, ctx: Context, row: RuleRow): Alert['webhook'] {
  const { webhook_url: url, webhook_secret_set_at: setAt, webhook_previous_until: until } = row
  if (url === null || setAt === null) return null
  const secrets = secretsOf(vault, row, ctx.now)
  return {
    url: maySeeAddress(ctx, row) ? url : null,
    origin: originOf(url),
    local: row.webhook_local === 1,
    secret_set_at: timeOf(setAt),
    previous_secret_until: until === null || until <= ctx.now.getTime() ? null : timeOf(until),
    problem: 'problem' in secrets ? secrets.problem : null,
  }
}

/** Returns the settings of an alert without its webhook, as fields of the API. */
export const settingsOf = (row: RuleRow) => ({
  name: row.name,
  kind: row.kind,
  statistic: row.statistic,
  workspace_id: row.workspace_id,
  filters: filtersOf(row),
  period_minutes: row.period_minutes,
  threshold: row.threshold,
  min_runs: row.min_runs,
  enabled: row.enabled === 1,
  desktop: row.desktop === 1,
})

/** Returns an alert in the form of the contract, as this caller may see it. */
export function toWire(
  vault: Vault,
  ctx: Context,
  row: RuleRow,
  state: StateRow | undefined,
  latest: LatestReading | undefined,
): Alert {
  return {
    id: row.id,
    ...settingsOf(row),
    webhook: webhookOf(vault, ctx, row),
    state: stateOf(row, state, latest),
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: timeOf(row.created_at),
    updated_at: timeOf(row.updated_at),
  }
}
