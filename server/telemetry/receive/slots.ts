import { fail } from '../../lib/fail.ts'

/** Maximum number of requests whose bodies are in memory at the same time: of all callers, and of one. */
const limits = { all: 16, own: 8 }

/** Seconds after which an exporter sends again. */
const retryAfter = 1

/** Runs the work of a request if its caller has a free slot; otherwise throws `rate_limited`. */
export type Slots = (principal: string, work: () => Promise<void>) => Promise<void>

/** Creates the slots of all requests. One caller can have half of them, so that it cannot block the others. */
export function createSlots(): Slots {
  const byPrincipal = new Map<string, number>()
  let all = 0
  const change = (principal: string, by: number): void => {
    const own = (byPrincipal.get(principal) ?? 0) + by
    all += by
    if (own === 0) byPrincipal.delete(principal)
    else byPrincipal.set(principal, own)
  }
  return async (principal, work) => {
    if (all >= limits.all || (byPrincipal.get(principal) ?? 0) >= limits.own) {
      throw fail('rate_limited', {
        detail: 'The service receives too many telemetry requests at the moment. Send this one again later.',
        retryAfter,
      })
    }
    change(principal, 1)
    await work().finally(() => change(principal, -1))
  }
}
