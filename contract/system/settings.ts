import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { item, Timestamp } from '../common/fields.ts'
import { Budget } from '../gateway/budgets.ts'
import { VirtualModels } from '../gateway/virtual-models.ts'
import { CaptureMode } from '../models/models.ts'
import { maxPrices, Price } from '../models/prices.ts'

/** Maximum of lifetimes and of the retention of runs, in days. */
export const maxDays = 3650
/** Allowed ranges of the limits of captured inputs and outputs, in days and MiB. */
export const payloadRanges = {
  payload_retention_days: { min: 1, max: 90 },
  payload_max_mb: { min: 16, max: 1_048_576 },
} as const
const Days = z.int().min(1).max(maxDays)
const inRange = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max)

/** The settings that a PATCH may change. Stored values are checked against the same schemas. */
export const settingValues = {
  workspace_creation_role: z.enum(['viewer', 'editor']),
  run_retention_days: Days,
  capture: CaptureMode.meta({
    description:
      'Capture mode of the input and output of runs; a workspace may have its own. `redacted` replaces likely secrets and the values of variables. For a reported run, these are the values in its `variables`',
  }),
  payload_retention_days: inRange(payloadRanges.payload_retention_days).meta({
    description: 'Retention of captured inputs and outputs; never longer than that of the run',
  }),
  payload_max_mb: inRange(payloadRanges.payload_max_mb).meta({
    description: 'Maximum total size of captured inputs and outputs, in MiB',
  }),
  prices: z.array(Price).max(maxPrices),
  api_token_max_days: Days.meta({
    description: 'Maximum lifetime of new API tokens, in days; existing tokens do not change',
  }),
  api_tokens_may_create_admins: z.boolean().meta({
    description:
      'Whether an API token with the role admin may create admin tokens, admin users and a new service token',
  }),
  device_days: Days.meta({
    description: 'Lifetime of paired devices, in days; each use of a browser or desktop app starts it again',
  }),
  lan_password_sign_in: z.boolean().meta({
    description: 'Whether browsers on the network that are not paired may sign in with a password',
  }),
  require_second_factor: z.boolean().meta({
    description:
      'Whether every user needs two-factor authentication or a passkey. A user who has neither can only set one up',
  }),
  virtual_models: VirtualModels.meta({
    description:
      'Names that callers of the gateway use as a model. Their targets are tried in order: the next one after a timeout, 408, 429 or 5xx, if nothing was sent to the caller yet',
  }),
  budget: Budget.nullable().meta({
    description: 'Budget of all calls through the gateway together; null for none',
  }),
}

export const Settings = z.object({
  ...settingValues,
  service_token: z.object({
    source: z.enum(['environment', 'stored', 'default']),
    hint: z.string().nullable().meta({ description: 'The last four characters of a stored token' }),
  }),
  fixed: z
    .array(z.string())
    .meta({ description: 'Settings set by an environment variable; they cannot be changed through the API' }),
  updated: z.record(z.string(), z.object({ at: Timestamp, by: z.string() })),
})
export type Settings = z.infer<typeof Settings>

/**
 * The state of deletion by age: runs, payloads, executions, deleted prompts, sessions and surplus backups.
 */
export const Deletion = z.object({
  status: z.enum(['running', 'paused']).meta({
    description: '`paused`: the clock jumped by more than a day, so ages cannot be trusted',
  }),
  service_time: Timestamp.meta({ description: 'Current time of the service' }),
  paused_at: Timestamp.nullable(),
  clock_shift_ms: z.int().nullable().meta({
    description: 'Difference between the clock and the elapsed time; negative if the clock moved back',
  }),
  resumes_in_ms: z.int().nullable().meta({
    description: 'Remaining time of uninterrupted operation until deletion resumes',
  }),
  reason: z.string().nullable(),
})
export type Deletion = z.infer<typeof Deletion>

const { service_token, fixed, updated } = Settings.shape
const ignored = {
  readOnly: true,
  description: 'Ignored, so that settings can be sent back as they were read',
}
export const UpdateSettingsBody = z
  .strictObject({
    ...settingValues,
    service_token: service_token.meta(ignored),
    fixed: fixed.meta(ignored),
    updated: updated.meta(ignored),
  })
  .partial()

const settingsExample: z.input<typeof Settings> = {
  workspace_creation_role: 'editor',
  run_retention_days: 90,
  capture: 'off',
  payload_retention_days: 7,
  payload_max_mb: 1024,
  prices: [
    {
      provider: 'openai',
      model: 'gpt-4o',
      from: '2024-08-06',
      input_usd_per_million: 2.5,
      output_usd_per_million: 10,
    },
  ],
  api_token_max_days: 365,
  api_tokens_may_create_admins: false,
  device_days: 90,
  lan_password_sign_in: false,
  require_second_factor: false,
  budget: null,
  virtual_models: [],
  service_token: { source: 'default', hint: null },
  fixed: [],
  updated: {},
}
const pausedExample: z.input<typeof Deletion> = {
  status: 'paused',
  service_time: '2027-03-01T10:00:00.000Z',
  paused_at: '2027-03-01T09:30:00.000Z',
  clock_shift_ms: 8_640_000_000,
  resumes_in_ms: 84_600_000,
  reason:
    'Nothing is deleted by age: the clock is 100 days ahead of the time the service ran, or the machine was off or asleep.',
}
const runningExample: z.input<typeof Deletion> = {
  status: 'running',
  service_time: '2027-03-01T10:00:00.000Z',
  paused_at: null,
  clock_shift_ms: null,
  resumes_in_ms: null,
  reason: null,
}
const common = { tag: 'Settings', permission: 'settings.manage', workspaces: 'none' } as const

export const settings = {
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/api/settings',
    summary: 'Get all settings',
    reply: item(Settings),
    example: { reply: { data: settingsExample } },
  }),
  update: endpoint({
    ...common,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/settings',
    summary: 'Update settings; each changed setting creates an audit entry',
    body: UpdateSettingsBody,
    reply: item(Settings),
    example: {
      body: { run_retention_days: 30 },
      reply: { data: { ...settingsExample, run_retention_days: 30 } },
    },
  }),
  setServiceToken: endpoint({
    ...common,
    method: 'POST',
    path: '/api/settings/service-token',
    summary: 'Create a new service token; it is returned once and stored as a hash',
    reply: item(z.object({ token: z.string(), hint: z.string() })),
    status: 201,
    example: { reply: { data: { token: 'pd_svc_4b7f…', hint: '9c1e' } } },
  }),
  deletion: endpoint({
    ...common,
    method: 'GET',
    path: '/api/settings/deletion',
    summary: 'Get the state of deletion by age: running, or paused after a clock jump',
    reply: item(Deletion),
    example: { reply: { data: pausedExample } },
  }),
  resumeDeletion: endpoint({
    ...common,
    method: 'POST',
    path: '/api/settings/deletion/resume',
    summary: 'Confirm the clock and resume deletion by age immediately',
    reply: item(Deletion),
    example: { reply: { data: runningExample } },
  }),
}
