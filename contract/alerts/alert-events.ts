import { z } from 'zod'
import { anyOf, Id, paging, queryTime, Timestamp } from '../common/fields.ts'
import { AlertKind, alertKinds, LatencyStatistic } from './alert.ts'

export const alertEventTypes = ['firing', 'resolved'] as const
const AlertEventType = z.enum(alertEventTypes)

/** The kinds of events: those of alerts, and a budget that is nearly or completely used up. */
export const AlertEventKind = z.enum([...alertKinds, 'budget'])
export type AlertEventKind = z.infer<typeof AlertEventKind>

/** Reasons why a firing alert ended. */
const resolutions = ['recovered', 'changed', 'disabled', 'deleted'] as const

export const DeliveryAttempt = z.object({
  at: Timestamp,
  status: z.int().nullable().meta({ description: 'HTTP status of the receiver; null without a reply' }),
  error: z.string().nullable(),
  duration_ms: z.int(),
})
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

const AlertDelivery = z.object({
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.array(DeliveryAttempt).meta({ description: 'Oldest first' }),
  next_attempt_at: Timestamp.nullable(),
})
export type AlertDelivery = z.infer<typeof AlertDelivery>

/** An entry of the history: an alert fired or was resolved. */
export const AlertEvent = z.object({
  id: Id,
  type: AlertEventType,
  alert_id: Id.meta({
    description: 'For the kind `budget`: `all`, or `token:<id>` or `workspace:<id>`',
  }),
  alert_name: z.string(),
  kind: AlertEventKind.meta({
    description: '`budget`: value and threshold are a share of the limit in percent',
  }),
  statistic: LatencyStatistic.nullable(),
  workspace_id: Id.nullable(),
  period_minutes: z.int(),
  value: z.number().nullable().meta({ description: 'Null if it was resolved without a measurement' }),
  threshold: z.number(),
  resolution: z
    .enum(resolutions)
    .nullable()
    .meta({ description: 'Reason of a `resolved` event; null for `firing`' }),
  link: z.string().meta({ description: 'Path of the console page with the rows that caused it' }),
  desktop: z.boolean().meta({ description: 'Whether consoles show a desktop notification' }),
  delivery: AlertDelivery.nullable().meta({ description: 'Null: the alert had no webhook' }),
  created_at: Timestamp,
})
export type AlertEvent = z.infer<typeof AlertEvent>

/** The JSON that a webhook receives. */
export const WebhookBody = z.object({
  id: Id.meta({ description: 'ID of the event; the same for each attempt' }),
  type: z.enum(['alert.firing', 'alert.resolved', 'alert.test']),
  at: Timestamp,
  alert: z.object({
    id: Id,
    name: z.string(),
    kind: AlertKind,
    statistic: LatencyStatistic.nullable(),
    workspace_id: Id.nullable(),
    period_minutes: z.int(),
  }),
  value: z.number().nullable(),
  threshold: z.number(),
  link: z.string().meta({ description: 'Address of the console page with the rows that caused it' }),
})
export type WebhookBody = z.infer<typeof WebhookBody>

export const signatureHeader = 'Promptdeck-Signature'

/** State of the evaluation as a whole. */
export const AlertEvaluation = z.object({
  status: z.enum(['starting', 'running', 'late', 'paused']).meta({
    description:
      '`late`: no evaluation was completed in the last three minutes. `paused`: no alert is evaluated, see `reason`',
  }),
  reason: z.string().nullable(),
  completed_at: Timestamp.nullable().meta({ description: 'End of the latest complete evaluation' }),
})
export type AlertEvaluation = z.infer<typeof AlertEvaluation>

const eventSorts = ['created_at', '-created_at'] as const
export const ListAlertEventsQuery = z.strictObject({
  ...paging(eventSorts),
  alert: anyOf(z.string().min(1).max(64)).meta({ description: 'ID of the alert' }),
  type: anyOf(AlertEventType),
  workspace: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'ID or slug: events of this workspace, and of alerts on all workspaces' }),
  from: queryTime.optional(),
  to: queryTime.optional(),
})

export const alertEventExample: z.input<typeof AlertEvent> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b31',
  type: 'firing',
  alert_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21',
  alert_name: 'Errors of billing',
  kind: 'error_rate',
  statistic: null,
  workspace_id: null,
  period_minutes: 15,
  value: 12.5,
  threshold: 5,
  resolution: null,
  link: '/runs?status=error&ref_key=billing%2Finvoice&from=2026-11-21T10%3A00%3A00.000Z&to=2026-11-21T10%3A15%3A00.000Z',
  desktop: true,
  delivery: {
    status: 'pending',
    attempts: [
      {
        at: '2026-11-21T10:15:01.000Z',
        status: 503,
        error: 'The receiver replied 503',
        duration_ms: 84,
      },
    ],
    next_attempt_at: '2026-11-21T10:15:12.000Z',
  },
  created_at: '2026-11-21T10:15:00.000Z',
}

export const SeenAlerts = z.object({
  until: Timestamp.nullable().meta({ description: 'Null if no event was seen yet' }),
})
export const MarkAlertsSeenBody = z.strictObject({ until: Timestamp })
