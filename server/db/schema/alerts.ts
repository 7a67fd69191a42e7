import type { AlertKind, LatencyStatistic } from '../../../contract/alerts/alert.ts'
import type { AlertEventKind } from '../../../contract/alerts/alert-events.ts'

/** Alerts. A null workspace means all. */
export type AlertsTable = {
  id: string
  name: string
  /** NFKC and lower case, for sorting and search. */
  name_folded: string
  kind: AlertKind
  statistic: LatencyStatistic | null
  workspace_id: string | null
  /** JSON: the values by name of the filter. */
  filters: string
  period_minutes: number
  threshold: number
  min_runs: number
  enabled: number
  desktop: number
  /** Null: the alert has no webhook; the other columns of the webhook are then null or 0. */
  webhook_url: string | null
  webhook_local: number
  /** See server/secrets/vault.ts. */
  webhook_secret: string | null
  webhook_secret_set_at: number | null
  /** The secret before the last change, which signs too until `webhook_previous_until`. */
  webhook_previous_secret: string | null
  webhook_previous_until: number | null
  created_by: string
  updated_by: string
  created_at: number
  updated_at: number
}

/** The result of the evaluation of an alert. Absent: not evaluated since it was created or changed. */
export type AlertStatesTable = {
  alert_id: string
  status: 'ok' | 'firing' | 'no_data'
  since: number
  /** Since when a firing alert's value is within its threshold; null while it is not. */
  clear_since: number | null
  /** 1 if a run ever matched the alert. */
  has_seen_runs: number
}

export type AlertEventsTable = {
  id: string
  type: 'firing' | 'resolved'
  alert_id: string
  alert_name: string
  kind: AlertEventKind
  statistic: LatencyStatistic | null
  workspace_id: string | null
  period_minutes: number
  value: number | null
  threshold: number
  resolution: 'recovered' | 'changed' | 'disabled' | 'deleted' | null
  /** Path of a page of the console. */
  link: string
  desktop: number
  created_at: number
}

/** The delivery of an event to the webhook of its alert. */
export type AlertDeliveriesTable = {
  event_id: string
  alert_id: string
  status: 'pending' | 'delivered' | 'failed'
  /** The JSON to send, the same for each attempt. */
  body: string
  /** JSON array, oldest first. */
  attempts: string
  /** Null if no attempt follows. */
  next_attempt_at: number | null
}
