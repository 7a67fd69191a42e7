import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, isTimeZone, Timestamp } from '../common/fields.ts'

/** The limits of a budget, in the order in which they are checked. */
export const budgetLimits = ['requests_per_minute', 'tokens_per_day', 'usd_per_day', 'usd_per_month'] as const
export type BudgetLimit = (typeof budgetLimits)[number]

const Count = z.int().min(1).max(1e12).nullable()
const Dollars = z.number().min(0.000001).max(1_000_000).nullable()

/** Limits of calls through the gateway. A limit that is null does not apply. */
export const Budget = z
  .strictObject({
    requests_per_minute: Count.default(null),
    tokens_per_day: Count.default(null),
    usd_per_day: Dollars.default(null),
    usd_per_month: Dollars.default(null),
    mode: z.enum(['warn', 'refuse']).default('refuse').meta({
      description:
        '`refuse`: calls are rejected with 429 when a limit is reached. `warn`: calls are not rejected',
    }),
    warn_at_percent: z.int().min(1).max(100).default(80).meta({
      description: 'Share of a limit at which an entry is added to the audit log and the alert history',
    }),
  })
  .meta({
    description:
      'Limits of calls through the gateway. Days and months are those of the time zone of the workspace',
  })
export type Budget = z.infer<typeof Budget>

/** A name of the IANA time zone database. */
export const TimeZone = z
  .string()
  .min(1)
  .max(64)
  .refine(isTimeZone, 'Expected a name such as Europe/Reykjavik')
  .meta({ description: 'Name of the IANA time zone database, in which days and months of budgets begin' })

export const defaultTimeZone = 'UTC'

/** The calls that a budget applies to: all, those in a workspace, or those with a token. */
const budgetScopes = ['all', 'workspace', 'token'] as const
export type BudgetScope = (typeof budgetScopes)[number]

/** The use of one limit in its current period. */
export const BudgetMeter = z.object({
  limit: z.enum(budgetLimits),
  max: z.number(),
  used: z.number(),
  resets_at: Timestamp.meta({ description: 'End of the current minute, day or month' }),
})
export type BudgetMeter = z.infer<typeof BudgetMeter>

/** A budget and its use. */
export const BudgetState = z.object({
  scope: z.enum(budgetScopes),
  id: Id.nullable().meta({ description: 'ID of the workspace or API token; null for `all`' }),
  name: z.string().nullable(),
  budget: Budget,
  time_zone: z.string(),
  state: z.enum(['ok', 'warned', 'used_up']),
  meters: z.array(BudgetMeter),
})
export type BudgetState = z.infer<typeof BudgetState>

const budgetExample: z.input<typeof Budget> = {
  requests_per_minute: 60,
  tokens_per_day: null,
  usd_per_day: 5,
  usd_per_month: null,
  mode: 'refuse',
  warn_at_percent: 80,
}

export const budgets = {
  list: endpoint({
    tag: 'Budgets',
    method: 'GET',
    path: '/api/budgets',
    workspaces: 'none',
    permission: 'settings.manage',
    summary: 'List the budgets of the gateway with their current use',
    description:
      'A budget is a field of an API token (`PATCH /api/tokens/:id`), of a workspace (`PATCH /api/workspaces/:id`), or of all calls (`PATCH /api/settings`). The budget of a token, and that of all calls, uses the time zone of the token’s only workspace, else of the workspace `default`.',
    reply: z.object({ data: z.array(BudgetState) }),
    example: {
      reply: {
        data: [
          {
            scope: 'token',
            id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b17',
            name: 'checkout in prod',
            budget: budgetExample,
            time_zone: 'UTC',
            state: 'warned',
            meters: [
              { limit: 'requests_per_minute', max: 60, used: 3, resets_at: '2026-11-25T09:31:00.000Z' },
              { limit: 'usd_per_day', max: 5, used: 4.2, resets_at: '2026-11-26T00:00:00.000Z' },
            ],
          },
        ],
      },
    },
  }),
}
