import { z } from 'zod'
import { item, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { CaptureMode } from './models.ts'

/** What a model costs from a day on. The newest price whose day is not after the run counts; of those, the longest pattern. */
export const Price = z.strictObject({
  provider: z.string().trim().min(1).max(128),
  model: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .meta({ description: 'A model name; a trailing `*` matches any ending' }),
  from: z.iso.date(),
  input_usd_per_million: z.number().min(0).max(100_000),
  output_usd_per_million: z.number().min(0).max(100_000),
})
export type Price = z.infer<typeof Price>

/** In the whole table. */
export const maxPrices = 2000

const values = {
  workspace_creation_role: z.enum(['viewer', 'editor']),
  run_retention_days: z.int().min(1).max(3650),
  capture: CaptureMode.meta({
    description: 'What is kept of input and output of a run; a workspace may have its own',
  }),
  payload_retention_days: z
    .int()
    .min(1)
    .max(90)
    .meta({ description: 'How long captured input and output is kept; never longer than its run' }),
  payload_max_mb: z
    .int()
    .min(16)
    .max(1_048_576)
    .meta({ description: 'What the files of captured input and output may hold together, in MiB' }),
  prices: z.array(Price).max(maxPrices),
}

export const Settings = z.object({
  ...values,
  service_token: z.object({
    source: z.enum(['environment', 'stored', 'default']),
    hint: z.string().nullable().meta({ description: 'The last four characters of a stored token' }),
  }),
  fixed: z
    .array(z.string())
    .meta({ description: 'Settings an environment variable decides; changing them is refused' }),
  updated: z.record(z.string(), z.object({ at: Timestamp, by: z.string() })),
})
export type Settings = z.infer<typeof Settings>

export const UpdateSettingsBody = z.strictObject({
  workspace_creation_role: values.workspace_creation_role.optional(),
  run_retention_days: values.run_retention_days.optional(),
  capture: values.capture.optional(),
  payload_retention_days: values.payload_retention_days.optional(),
  payload_max_mb: values.payload_max_mb.optional(),
  prices: values.prices.optional(),
})

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
  service_token: { source: 'default', hint: null },
  fixed: [],
  updated: {},
}
const common = { tag: 'Settings', permission: 'settings.manage' } as const

export const settings = {
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/api/settings',
    summary: 'Every setting',
    reply: item(Settings),
    example: { reply: { data: settingsExample } },
  }),
  update: endpoint({
    ...common,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/settings',
    summary: 'Change settings; each changed one is an audit entry',
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
    summary: 'Make a new service token; it is shown once and kept as a hash',
    reply: item(z.object({ token: z.string(), hint: z.string() })),
    status: 201,
    example: { reply: { data: { token: 'pd_svc_4b7f…', hint: '9c1e' } } },
  }),
}
