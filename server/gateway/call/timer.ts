import { ModelError } from '../../models/model.ts'

/** Time limits in milliseconds. */
export type GatewayTimeouts = {
  /** From the request to the headers of the reply. The providers' own clients wait as long. */
  readonly firstMs: number
  /** Silence within a reply. */
  readonly stallMs: number
}

export const defaultTimeouts: GatewayTimeouts = { firstMs: 600_000, stallMs: 300_000 }

/** Ends a request that takes too long, or whose caller has disconnected. */
export type GatewayTimer = {
  /** Aborts with a `ModelError`. */
  readonly signal: AbortSignal
  /** Call it when the reply has begun, and for each chunk. */
  progress(): void
  /** Ends the request, which is no longer needed. */
  cancel(reason: unknown): void
  stop(): void
}

/** Creates the timer. While `isCallerSlow` returns true, a pause does not count as a stalled provider. */
export function createGatewayTimer(
  caller: AbortSignal,
  { firstMs, stallMs }: GatewayTimeouts,
  isCallerSlow: () => boolean,
): GatewayTimer {
  const controller = new AbortController()
  const onAbort = () => controller.abort(caller.reason)
  if (caller.aborted) onAbort()
  else caller.addEventListener('abort', onAbort, { once: true })
  let timer = setTimeout(
    () => controller.abort(new ModelError('timeout', `No response within ${firstMs / 1000} s`)),
    firstMs,
  )
  let hasBegun = false
  const check = () => {
    if (isCallerSlow()) timer.refresh()
    else controller.abort(new ModelError('stalled', `The response stalled for ${stallMs / 1000} s`))
  }
  return {
    signal: controller.signal,
    cancel: (reason) => controller.abort(reason),
    progress() {
      if (hasBegun) return void timer.refresh()
      hasBegun = true
      clearTimeout(timer)
      timer = setTimeout(check, stallMs)
    },
    stop() {
      clearTimeout(timer)
      caller.removeEventListener('abort', onAbort)
    },
  }
}
