import { z } from 'zod'
import { maxWaitSeconds } from '../../../../contract/accounts/pairing.ts'

/** The fields that clients read of the replies, so that later services may change others. */
export const Requested = z.object({ request_id: z.string(), request_secret: z.string(), name: z.string() })
export type Requested = z.infer<typeof Requested>

export const RequestState = z.object({
  status: z.enum(['pending', 'approved', 'refused', 'expired']),
  token: z.string().optional(),
})

/** Timeout of a request for the state. The service replies at the latest after `maxWaitSeconds`. */
export const waitMs = (maxWaitSeconds + 15) * 1000
/** Minimum time between two requests for the state, in milliseconds, for a service that replies immediately. */
export const pollMs = 500
