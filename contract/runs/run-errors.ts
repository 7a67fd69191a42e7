import { z } from 'zod'
import { queryInt, Timestamp } from '../common/fields.ts'
import { runFilters } from './run-filters.ts'

const { status: _status, not_status: _notStatus, ...errorFilters } = runFilters

export const RunErrorsQuery = z.strictObject({
  ...errorFilters,
  limit: queryInt(1, 200).optional().meta({ description: 'Maximum number of groups; by default 20' }),
})

const RunErrorGroup = z.object({
  message: z.string().nullable().meta({
    description: 'The message with `#` for numbers and IDs, and `"…"` for quoted values; null without one',
  }),
  count: z.int(),
  first_seen: Timestamp,
  last_seen: Timestamp,
  versions: z
    .array(
      z.object({
        ref_key: z.string(),
        version: z.string().nullable(),
        env: z.string().nullable(),
        count: z.int(),
      }),
    )
    .meta({ description: 'Versions of prompts, most frequent first; at most 10' }),
  apps: z
    .array(z.object({ app: z.string(), count: z.int() }))
    .meta({ description: 'Apps, most frequent first; at most 10' }),
  models: z
    .array(z.object({ model: z.string(), count: z.int() }))
    .meta({ description: 'Models, most frequent first; at most 10' }),
  example: z
    .object({ id: z.int(), error: z.string().nullable() })
    .meta({ description: 'The newest of these runs' }),
})
export type RunErrorGroup = z.infer<typeof RunErrorGroup>

export const RunErrors = z.object({
  total: z.int().meta({ description: 'Number of all failed runs' }),
  group_count: z.int().meta({ description: 'Number of all groups' }),
  groups: z.array(RunErrorGroup).meta({ description: 'Most frequent first' }),
})
export type RunErrors = z.infer<typeof RunErrors>

export const runErrorsExample: z.input<typeof RunErrors> = {
  total: 12,
  group_count: 1,
  groups: [
    {
      message: 'Timeout after # ms for model "…"',
      count: 12,
      first_seen: '2026-11-21T08:12:00.000Z',
      last_seen: '2026-11-21T09:30:00.000Z',
      versions: [{ ref_key: 'greet', version: 'v3', env: 'prod', count: 12 }],
      apps: [{ app: 'checkout', count: 12 }],
      models: [{ model: 'gpt-4o', count: 12 }],
      example: { id: 1042, error: 'Timeout after 30000 ms for model "gpt-4o"' },
    },
  ],
}
