import { z } from 'zod'

/**
 * `disk_full`: the disk refuses room; `store_full`: the store holds MAX_STORE_MB. Both: sign-in, reading, exports and
 * what frees room go on, everything else is 507 `store.full`. `store_unavailable`: nothing works until the next start.
 */
export const healthStatuses = ['ok', 'disk_full', 'store_full', 'store_unavailable'] as const

/** The reply of `GET /health`: 503 with `store_unavailable`, else 200. It is open to everyone. */
export const Health = z.object({
  ok: z.boolean(),
  status: z.enum(healthStatuses),
  version: z.string(),
  /** One sentence for a person; absent with `ok`. */
  reason: z.string().optional(),
  /** Present while deletion by age is paused. */
  deletion: z.object({ status: z.literal('paused'), reason: z.string() }).optional(),
  /** Which built-in credentials are in force; sent to loopback peers only. */
  defaults: z.object({ password: z.boolean(), token: z.boolean() }).optional(),
})
export type Health = z.infer<typeof Health>
