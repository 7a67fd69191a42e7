import type { WebhookBody } from '../../../../contract/alerts/alert-events.ts'
import type { Tx } from '../../../db/types.ts'
import type { NewId } from '../../../lib/ids.ts'
import { insertDelivery } from '../delivery/deliveries.store.ts'
import type { RuleRow } from '../rules/rules.store.ts'
import { type EventRow, insertEvent } from './events.store.ts'

export type EventDeps = {
  readonly newId: NewId
  /** Returns the origin of the console for links in webhooks. */
  readonly origin: () => string
}

export type NewEvent = Pick<EventRow, 'type' | 'value' | 'resolution' | 'link'> & {
  readonly at: Date
  /** False if the alert is deleted, so that no webhook remains. */
  readonly isDelivered?: boolean
}

/** Adds an event to the history, and its delivery if the alert has a webhook. */
export async function writeEvent(deps: EventDeps, tx: Tx, rule: RuleRow, event: NewEvent): Promise<void> {
  const { at, isDelivered = true, ...fields } = event
  const row: EventRow = {
    ...fields,
    id: deps.newId(),
    alert_id: rule.id,
    alert_name: rule.name,
    kind: rule.kind,
    statistic: rule.statistic,
    workspace_id: rule.workspace_id,
    period_minutes: rule.period_minutes,
    threshold: rule.threshold,
    desktop: rule.desktop,
    created_at: at.getTime(),
  }
  await insertEvent(tx.q, row)
  if (rule.webhook_url === null || !isDelivered) return
  await insertDelivery(tx.q, {
    event_id: row.id,
    alert_id: rule.id,
    status: 'pending',
    body: webhookText(deps, rule, { ...fields, id: row.id, at, type: `alert.${row.type}` }),
    attempts: '[]',
    next_attempt_at: row.created_at,
  })
}

/** Returns the JSON that a webhook receives. */
export function webhookText(
  { origin }: Pick<EventDeps, 'origin'>,
  rule: RuleRow,
  event: {
    readonly id: string
    readonly type: WebhookBody['type']
    readonly at: Date
    readonly value: number | null
    readonly link: string
  },
): string {
  const body: WebhookBody = {
    id: event.id,
    type: event.type,
    at: event.at.toISOString(),
    alert: {
      id: rule.id,
      name: rule.name,
      kind: rule.kind,
      statistic: rule.statistic,
      workspace_id: rule.workspace_id,
      period_minutes: rule.period_minutes,
    },
    value: event.value,
    threshold: rule.threshold,
    link: `${origin()}${event.link}`,
  }
  return JSON.stringify(body)
}
