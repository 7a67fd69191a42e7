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

/** Sends the reply to a call to its caller: that of the cache, else that of the provider. */
export async function replyTo(
  deps: ReplyDeps,
  call: PreparedCall,
  callId: string,
  signal: AbortSignal,
): Promise<CallReply> {
  const { exchange } = call
  const begun = performance.now()
  const elapsedMs = () => Math.round((performance.now() - begun) * 1000) / 1000
  const caching = await cachingOf(deps.db, call)
  const cached = caching === null ? null : deps.cache.get(caching.key)
  if (cached !== null) {
    const ended = replay(exchange, callId, cached)
    const [secrets, latencyMs] = [secretsOf(exchange), elapsedMs()]
    const failure = failureIn(ended, { signal, secrets })
    return { ended, failure, secrets, latencyMs, ttftMs: latencyMs, isHit: true }
  }
  const onComplete: OnComplete = caching && ((reply) => deps.cache.put(caching.key, reply, caching.seconds))
  return callProvider(deps, call, { callId, signal, elapsedMs, onComplete })
}

/** Stores a complete reply in the cache; null: it is not cached. */
type OnComplete = Attempt['onComplete']

type ProviderCall = {
  readonly callId: string
  readonly signal: AbortSignal
  readonly elapsedMs: () => number
  readonly onComplete: OnComplete
}

/** Passes the request and the reply of the provider on, and reports whether the provider works. */
async function callProvider(
  deps: ReplyDeps,
  call: PreparedCall,
  { callId, signal, elapsedMs, onComplete }: ProviderCall,
): Promise<CallReply> {
  const { exchange, provider, body, path } = call
  const { hasNext = false, timeoutMs = null } = call.attempt ?? {}
  const timeouts = timeoutMs === null ? deps.timeouts : { ...deps.timeouts, firstMs: timeoutMs }
  const report = provider.observe()
  let ttftMs: number | null = null
  const onFirst = () => {
    ttftMs ??= elapsedMs()
  }
  const key = await keyFor(call)
  const secrets = key === null ? secretsOf(exchange) : [...secretsOf(exchange), key]
  const options = { exchange, provider, body, path, key, callId, signal, hasNext, onComplete, onFirst }
  const ended = await attempt({ ...deps, timeouts }, options)
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
