import { z } from 'zod'
import { clearable, Id, Name, readOnly, Timestamp } from '../common/fields.ts'
import type { runFilters } from '../runs/run-filters.ts'

/** The kinds of alerts, by what they measure. */
export const alertKinds = [
  'error_rate',
  'latency',
  'cost',
  'no_runs',
  'client_behind',
  'provider_down',
] as const
export const AlertKind = z.enum(alertKinds)
export type AlertKind = z.infer<typeof AlertKind>

export const latencyStatistics = ['avg', 'p50', 'p95', 'p99'] as const
export const LatencyStatistic = z.enum(latencyStatistics)
export type LatencyStatistic = z.infer<typeof LatencyStatistic>

/** The filters of run statistics that an alert can have, besides the workspace. */
export const alertFilterNames = [
  'source',
  'provider',
  'model',
  'ref_key',
] as const satisfies readonly (keyof typeof runFilters)[]
export type AlertFilterName = (typeof alertFilterNames)[number]

const Values = z.array(z.string().min(1).max(200)).min(1).max(50).optional()
export const AlertFilters = z.strictObject(
  Object.fromEntries(alertFilterNames.map((name) => [name, Values])) as Record<
    AlertFilterName,
    typeof Values
  >,
)
export type AlertFilters = z.infer<typeof AlertFilters>

/** The facts about each kind that the service and the console share. */
export type KindFacts = {
  readonly unit: 'percent' | 'ms' | 'usd' | 'runs' | 'clients' | 'calls'
  /** The comparison that makes the alert fire: the value is above, below, or at least the threshold. */
  readonly comparison: 'above' | 'below' | 'at_least'
  readonly min: number
  readonly max: number
  readonly isWhole: boolean
  readonly filters: readonly AlertFilterName[]
  /** True if the kind needs a minimum number of runs. */
  readonly hasMinRuns: boolean
}

export const kindFacts: Readonly<Record<AlertKind, KindFacts>> = {
  error_rate: {
    unit: 'percent',
    comparison: 'above',
    min: 0,
    max: 99.99,
    isWhole: false,
    filters: alertFilterNames,
    hasMinRuns: true,
  },
  latency: {
    unit: 'ms',
    comparison: 'above',
    min: 1,
    max: 86_400_000,
    isWhole: false,
    filters: alertFilterNames,
    hasMinRuns: true,
  },
  cost: {
    unit: 'usd',
    comparison: 'above',
    min: 0,
    max: 1_000_000_000,
    isWhole: false,
    filters: alertFilterNames,
    hasMinRuns: false,
  },
  no_runs: {
    unit: 'runs',
    comparison: 'below',
    min: 1,
    max: 1_000_000_000,
    isWhole: true,
    filters: alertFilterNames,
    hasMinRuns: false,
  },
  client_behind: {
    unit: 'clients',
    comparison: 'at_least',
    min: 1,
    max: 100_000,
    isWhole: true,
    filters: ['ref_key'],
    hasMinRuns: false,
  },
  provider_down: {
    unit: 'calls',
    comparison: 'at_least',
    min: 1,
    max: 100_000,
    isWhole: true,
    filters: alertFilterNames,
    hasMinRuns: false,
  },
}

const minPeriodMinutes = 5
const maxPeriodMinutes = 1440
export const defaultMinRuns = 10

export const AlertStatus = z.enum(['pending', 'ok', 'firing', 'no_data', 'off'])
export type AlertStatus = z.infer<typeof AlertStatus>

export const AlertState = z.object({
  status: AlertStatus.meta({
    description:
      '`pending`: not evaluated yet. `no_data`: too little data to decide, see `reason`. `off`: disabled',
  }),
  since: Timestamp.nullable().meta({ description: 'Time at which the alert got this status' }),
  value: z.number().nullable().meta({ description: 'Result of the latest evaluation; null if it had none' }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Reason why the latest evaluation has no value, such as too few runs' }),
  evaluated_at: Timestamp.nullable(),
})
export type AlertState = z.infer<typeof AlertState>

const Webhook = z.object({
  url: z.string().nullable().meta({ description: 'Null for callers who may not change alerts' }),
  origin: z.string().meta({ description: 'Scheme, host and port of the address' }),
  local: z.boolean(),
  secret_set_at: Timestamp,
  previous_secret_until: Timestamp.nullable().meta({
    description: 'Until then, deliveries are also signed with the secret before the last change',
  }),
  problem: z.string().nullable().meta({ description: 'Reason why the secret cannot be used' }),
})

export const Alert = z.object({
  id: Id,
  name: z.string(),
  kind: AlertKind,
  statistic: LatencyStatistic.nullable().meta({ description: 'Only for `latency`' }),
  workspace_id: Id.nullable().meta({ description: 'Null: all workspaces' }),
  filters: AlertFilters,
  period_minutes: z.int(),
  threshold: z.number().meta({
    description:
      'In the unit of the kind: percent, milliseconds, US dollars, or a number of runs, clients or failed calls',
  }),
  min_runs: z.int().meta({ description: 'With fewer runs in the period, the alert has too little data' }),
  enabled: z.boolean(),
  desktop: z.boolean().meta({ description: 'Whether consoles show a desktop notification' }),
  webhook: Webhook.nullable(),
  state: AlertState,
  created_by: z.string(),
  updated_by: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Alert = z.infer<typeof Alert>

const WebhookBody = z.strictObject({
  url: z.string().trim().min(1).max(2048).optional(),
  secret: z
    .string()
    .min(16, 'A secret has at least 16 characters')
    .max(256)
    .regex(/^[\x21-\x7e]*$/, 'A secret is one word of printable ASCII characters')
    .optional()
    .meta({ description: 'Write-only. Signs the deliveries', writeOnly: true }),
  local: z.boolean().optional().meta({
    description:
      'The receiver is on this machine or network: private addresses and plain http are allowed, public ones are not. Only an admin may set it',
  }),
  ...readOnly('origin', 'secret_set_at', 'previous_secret_until', 'problem'),
})

const settable = {
  name: Name(128),
  statistic: clearable(LatencyStatistic).meta({ description: 'For `latency`; default `p95`' }),
  workspace: clearable(z.string().min(1).max(64)).meta({ description: 'ID or slug; null for all' }),
  filters: clearable(AlertFilters),
  period_minutes: z.int().min(minPeriodMinutes).max(maxPeriodMinutes),
  threshold: z.number().min(0).max(1_000_000_000),
  min_runs: z.int().min(1).max(100_000).optional(),
  enabled: z.boolean().optional(),
  desktop: z.boolean().optional(),
  webhook: clearable(WebhookBody),
}

export const CreateAlertBody = z.strictObject({ ...settable, kind: AlertKind })
export type CreateAlertBody = z.output<typeof CreateAlertBody>

export const UpdateAlertBody = z.strictObject({
  ...settable,
  name: settable.name.optional(),
  period_minutes: settable.period_minutes.optional(),
  threshold: settable.threshold.optional(),
  ...readOnly('id', 'kind', 'workspace_id', 'state', 'created_by', 'updated_by', 'created_at', 'updated_at'),
})
export type UpdateAlertBody = z.output<typeof UpdateAlertBody>

export const alertExample: z.input<typeof Alert> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21',
  name: 'Errors of billing',
  kind: 'error_rate',
  statistic: null,
  workspace_id: null,
  filters: { ref_key: ['billing/invoice'] },
  period_minutes: 15,
  threshold: 5,
  min_runs: 10,
  enabled: true,
  desktop: true,
  webhook: {
    url: 'https://hooks.example.com/promptdeck',
    origin: 'https://hooks.example.com',
    local: false,
    secret_set_at: '2026-11-21T09:30:00.000Z',
    previous_secret_until: null,
    problem: null,
  },
  state: {
    status: 'firing',
    since: '2026-11-21T10:15:00.000Z',
    value: 12.5,
    reason: null,
    evaluated_at: '2026-11-21T10:20:00.000Z',
  },
  created_by: 'edda',
  updated_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}
