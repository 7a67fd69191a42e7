import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { RuleRow } from './rules.store.ts'
import { settingsOf } from './rules.wire.ts'
import { originOf } from './webhook-change.ts'

/**
 * Returns the fields that the audit log stores. Of the webhook's address it has the origin and a hash, because
 * the rest often contains a credential and every viewer reads the log.
 */
export function auditFieldsOf(row: RuleRow) {
  const url = row.webhook_url
  return {
    ...settingsOf(row),
    webhook_origin: url === null ? null : originOf(url),
    webhook_address_sha256: url === null ? null : hash('sha256', url, 'hex'),
    webhook_local: row.webhook_local === 1,
    webhook_secret_set_at:
      row.webhook_secret_set_at === null ? null : new Date(row.webhook_secret_set_at).toISOString(),
  }
}

type Fields = ReturnType<typeof auditFieldsOf>

const names: readonly (readonly [keyof Fields, string])[] = [
  ['name', 'name'],
  ['statistic', 'statistic'],
  ['workspace_id', 'workspace'],
  ['filters', 'filters'],
  ['period_minutes', 'period'],
  ['threshold', 'threshold'],
  ['min_runs', 'minimum number of runs'],
  ['desktop', 'desktop notification'],
  ['webhook_address_sha256', 'webhook address'],
  ['webhook_local', 'webhook network'],
  ['webhook_secret_set_at', 'webhook secret'],
]

/** Returns the description of a change for the audit log. */
export function summaryOf(before: RuleRow, after: RuleRow): string {
  const [was, is] = [auditFieldsOf(before), auditFieldsOf(after)]
  const changed = names.filter(([field]) => !isDeepStrictEqual(was[field], is[field])).map(([, name]) => name)
  const verb = was.enabled === is.enabled ? null : is.enabled ? 'Enabled' : 'Disabled'
  const list = changed.join(', ')
  if (verb === null) return `Changed ${list} of the alert ${after.name}`
  return `${verb} the alert ${after.name}${list === '' ? '' : ` and changed its ${list}`}`
}
