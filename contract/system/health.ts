import { z } from 'zod'

/**
 * `disk_full`: the disk is full; `store_full`: the store has reached MAX_STORE_MB. In both states sign-in,
 * reads, exports and requests that free space work; others get 507 `store.full`. `store_unavailable`: nothing
 * works until a restart.
 */
const healthStatuses = ['ok', 'disk_full', 'store_full', 'store_unavailable'] as const

/** The reply of `GET /health`: status 503 with `store_unavailable`, else 200. Public. */
export const Health = z.object({
  ok: z.boolean(),
  status: z.enum(healthStatuses),
  version: z.string(),
  reason: z.string().optional().describe('One sentence for a person; absent if the status is `ok`'),
  deletion: z
    .object({ status: z.literal('paused'), reason: z.string() })
    .optional()
    .describe('Present while deletion by age is paused'),
  defaults: z
    .object({ password: z.boolean(), token: z.boolean() })
    .optional()
    .describe('Built-in credentials that are still valid; sent to callers on this machine only'),
})
export type Health = z.infer<typeof Health>

/** The reply of `GET /ready`: status 503 while the store does not answer, else 200. Public. */
export const Readiness = z.object({
  ready: z.boolean(),
  reason: z.string().optional().describe('One sentence for a person; absent if the service is ready'),
})
export type Readiness = z.infer<typeof Readiness>
