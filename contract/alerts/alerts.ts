import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { anyOf, Id, item, Ok, page, paging, SearchText } from '../common/fields.ts'
import { Alert, AlertKind, alertExample, CreateAlertBody, UpdateAlertBody } from './alert.ts'
import {
  AlertEvaluation,
  AlertEvent,
  alertEventExample,
  ListAlertEventsQuery,
  MarkAlertsSeenBody,
  SeenAlerts,
} from './alert-events.ts'

const alertSorts = ['name', '-name', 'created_at', '-created_at'] as const
const ListAlertsQuery = z.strictObject({
  ...paging(alertSorts),
  kind: anyOf(AlertKind),
  workspace: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'ID or slug: alerts on this workspace, and on all workspaces' }),
  q: SearchText.optional(),
})

export const AlertTest = z.object({
  ok: z.boolean(),
  message: z.string().meta({ description: 'Readable result' }),
  status: z.int().nullable().meta({ description: 'HTTP status of the receiver; null without a reply' }),
  duration_ms: z.int(),
})
export type AlertTest = z.infer<typeof AlertTest>

const tag = 'Alerts'
const params = z.object({ id: Id })
const read = { tag, permission: 'alerts.read' } as const
const write = { tag, permission: 'alerts.write' } as const
const own = { tag, permission: 'signed_in', sessionOnly: true, workspaces: 'none' } as const

export const alerts = {
  list: endpoint({
    ...read,
    method: 'GET',
    path: '/api/alerts',
    workspaces: 'filter',
    summary: 'List alerts with their state',
    description:
      'Alerts are evaluated once a minute. `evaluation` states whether that happens: an alert keeps its last state while evaluation is paused.',
    query: ListAlertsQuery,
    reply: page(Alert).extend({ evaluation: AlertEvaluation }),
    example: {
      query: 'kind=error_rate',
      reply: {
        data: [alertExample],
        total: 1,
        next_cursor: null,
        evaluation: { status: 'running', reason: null, completed_at: '2026-11-21T10:20:00.000Z' },
      },
    },
  }),
  create: endpoint({
    ...write,
    method: 'POST',
    path: '/api/alerts',
    workspaces: 'input',
    summary: 'Create an alert',
    description:
      'Each alert appears in the console. `webhook` needs an address and a secret. A webhook on this machine or network (`local`) needs the permission `providers.manage`, as addresses of providers do.',
    body: CreateAlertBody,
    reply: item(Alert),
    status: 201,
    idempotent: true,
    problems: ['idempotency.mismatch', 'store.full'],
    example: {
      body: {
        name: 'Errors of billing',
        kind: 'error_rate',
        filters: { ref_key: ['billing/invoice'] },
        period_minutes: 15,
        threshold: 5,
        desktop: true,
        webhook: { url: 'https://hooks.example.com/promptdeck', secret: 'whsec-example-0123456789' },
      },
      reply: { data: alertExample },
    },
  }),
  events: endpoint({
    ...read,
    method: 'GET',
    path: '/api/alerts/events',
    workspaces: 'filter',
    summary: 'List when alerts fired and were resolved, newest first, with their deliveries',
    description: 'The newest 5,000 events are kept.',
    query: ListAlertEventsQuery,
    reply: page(AlertEvent),
    example: {
      query: 'type=firing&limit=20',
      reply: { data: [alertEventExample], total: 1, next_cursor: null },
    },
  }),
  event: endpoint({
    ...read,
    method: 'GET',
    path: '/api/alerts/events/:id',
    workspaces: 'item',
    summary: 'Get an event of an alert with its delivery',
    params,
    reply: item(AlertEvent),
    problems: ['not_found'],
    example: { reply: { data: alertEventExample } },
  }),
  seen: endpoint({
    ...own,
    method: 'GET',
    path: '/api/alerts/seen',
    summary: 'Get the time up to which you have seen the events of alerts',
    reply: item(SeenAlerts),
    example: { reply: { data: { until: '2026-11-21T09:30:00.000Z' } } },
  }),
  markSeen: endpoint({
    ...own,
    method: 'PUT',
    path: '/api/alerts/seen',
    summary: 'Mark the events of alerts up to a time as seen',
    description:
      'Applies to every browser of the user. An earlier time than the stored one changes nothing. It is personal state of the user, so it has no audit entry.',
    body: MarkAlertsSeenBody,
    reply: item(SeenAlerts),
    problems: ['store.full'],
    example: {
      body: { until: '2026-11-21T09:30:00.000Z' },
      reply: { data: { until: '2026-11-21T09:30:00.000Z' } },
    },
  }),
  get: endpoint({
    ...read,
    method: 'GET',
    path: '/api/alerts/:id',
    workspaces: 'item',
    summary: 'Get an alert with its state',
    params,
    reply: item(Alert),
    problems: ['not_found'],
    example: { reply: { data: alertExample } },
  }),
  update: endpoint({
    ...write,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/alerts/:id',
    workspaces: 'item',
    summary: 'Update an alert',
    description:
      'The kind does not change. A new `webhook.secret` replaces the secret; deliveries carry signatures with both for 24 hours. A webhook address with another scheme, host or port needs a new secret. If a change disables a firing alert, or changes its condition so that it no longer holds, the alert is resolved.',
    params,
    body: UpdateAlertBody,
    reply: item(Alert),
    problems: ['not_found', 'store.full'],
    example: { body: { threshold: 10 }, reply: { data: { ...alertExample, threshold: 10 } } },
  }),
  remove: endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/alerts/:id',
    workspaces: 'item',
    summary: 'Delete an alert and stop its deliveries; its events stay in the history',
    params,
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
  test: endpoint({
    ...write,
    method: 'POST',
    path: '/api/alerts/:id/test',
    workspaces: 'item',
    summary: 'Send a test delivery to the webhook of an alert',
    description:
      'Always returns 200 if the alert has a webhook; `ok` has the result. The body has the type `alert.test`. It is sent once and is not part of the history.',
    params,
    reply: item(AlertTest),
    problems: ['not_found'],
    example: {
      reply: {
        data: { ok: true, message: 'Delivered: the receiver replied 204.', status: 204, duration_ms: 84 },
      },
    },
  }),
}
