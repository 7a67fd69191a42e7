import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../../db/types.ts'
import type { ModelError } from '../../models/model.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { type Attempt, type AttemptDeps, attempt, replay } from './attempt.ts'
import { cachingOf } from './caching.ts'
import { secretsOf } from './credentials.ts'
import { type Ended, failureIn } from './outcome.ts'
import type { PreparedCall } from './prepared-call.ts'

export type ReplyDeps = AttemptDeps & {
  readonly db: Db
  readonly cache: ResponseCache
}

/** The result of a call. Times are in milliseconds since its start. */
export type CallReply = {
  readonly ended: Ended
  readonly failure: ModelError | null
  /** The keys of the call, which must not be stored. */
  readonly secrets: readonly string[]
  readonly latencyMs: number
  /** Null: no text or tool call arrived. */
  readonly ttftMs: number | null
  /** True if the reply came from the cache. */
  readonly isHit: boolean
}

/** A call whose intent is being stored. */
export type StoringCall = {
  readonly callId: string
  /** Resolves when the intent is on the disk. Rejects if the call is not admitted or the intent cannot be stored. */
  readonly stored: Promise<unknown>
  readonly signal: AbortSignal
}

/**
 * Sends the reply to a call to its caller: that of the cache, else that of the provider. Everything is prepared while
 * the intent is written to the disk, and nothing is sent before. Rejects as `stored` does.
 */
export async function replyTo(
  deps: ReplyDeps,
  call: PreparedCall,
  { callId, stored, signal }: StoringCall,
): Promise<CallReply> {
  const { exchange } = call
  let begun = performance.now()
  const ready = stored.then(() => {
    begun = performance.now()
  })
  const elapsedMs = () => Math.round((performance.now() - begun) * 1000) / 1000
  // Usually the transaction with the intent is committed by then, and the thread of the journal writes it.
  await Promise.race([ready, nextTurn()])
  const caching = await cachingOf(deps.db, call)
  const cached = caching === null ? null : deps.cache.get(caching.key)
  if (cached !== null) {
    await ready
    const ended = replay(exchange, callId, cached)
    const [secrets, latencyMs] = [secretsOf(exchange), elapsedMs()]
    const failure = failureIn(ended, { signal, secrets })
    return { ended, failure, secrets, latencyMs, ttftMs: latencyMs, isHit: true }
  }
  const onComplete: OnComplete = caching && ((reply) => deps.cache.put(caching.key, reply, caching.seconds))
  return callProvider(deps, call, { callId, ready, signal, elapsedMs, onComplete })
}

/** Stores a complete reply in the cache; null: it is not cached. */
type OnComplete = Attempt['onComplete']

type ProviderCall = {
  readonly callId: string
  readonly ready: Promise<unknown>
  readonly signal: AbortSignal
  readonly elapsedMs: () => number
  readonly onComplete: OnComplete
}

/** Passes the request and the reply of the provider on, and reports whether the provider works. */
async function callProvider(
  deps: ReplyDeps,
  call: PreparedCall,
  { callId, ready, signal, elapsedMs, onComplete }: ProviderCall,
): Promise<CallReply> {
  const { exchange, provider, body, content, isRewritten, path } = call
  const { hasNext = false, timeoutMs = null } = call.attempt ?? {}
  const timeouts = timeoutMs === null ? deps.timeouts : { ...deps.timeouts, firstMs: timeoutMs }
  // Without a slot, the call shows nothing about the provider.
  let report: ReturnType<typeof provider.observe> = () => undefined
  const onSlot = () => {
    report = provider.observe()
  }
  let ttftMs: number | null = null
  const onFirst = () => {
    ttftMs ??= elapsedMs()
  }
  const key = await keyFor(call)
  const secrets = key === null ? secretsOf(exchange) : [...secretsOf(exchange), key]
  const request = { exchange, provider, body, content, isRewritten, path, key }
  const options = { ...request, callId, ready, signal, hasNext, onComplete, onSlot, onFirst }
  const ended = await attempt({ ...deps, timeouts }, options)
  // The call may have failed before the intent was stored. A call that was not admitted is no failure of the provider.
  await ready
  const latencyMs = elapsedMs()
  const failure = failureIn(ended, { signal, secrets })
  // The result of a call with a key of the caller does not show whether the provider works.
  if (failure === null) report({ latencyMs: ttftMs ?? latencyMs })
  else if (!(exchange.hasOwnKey && failure.type === 'unauthorized')) report({ error: failure })
  return { ended, failure, secrets, latencyMs, ttftMs, isHit: false }
}

/** Returns the key of the service, if the call needs it. */
async function keyFor({ exchange, provider }: PreparedCall): Promise<string | null> {
  const { hasKey, key } = provider.settings
  return exchange.hasOwnKey || !hasKey || provider.refusal(false) !== null ? null : await key()
}
