import { gatewaySource } from '../../../contract/gateway/gateway.ts'
import type { Run } from '../../../contract/runs/run.ts'
import { intentOf } from '../../calls/intents/intent.ts'
import { insertIntent, takeIntent } from '../../calls/intents/intents.store.ts'
import type { BudgetCounter, CallRecord } from '../../calls/intents/record.ts'
import type { RetryQueue } from '../../calls/intents/retry-queue.ts'
import type { CountTokens } from '../../calls/result/usage.ts'
import type { Db } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { Problem } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import type { DirectProvider, ModelError } from '../../models/model.ts'
import type { CallState } from '../../models/protocol/failure.ts'
import type { Budgets } from '../budgets/budgets.ts'
import type { BudgetCall } from '../budgets/owners.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { paramsOf, requestFieldsOf } from '../request/request-fields.ts'
import { runHeadersOf } from '../request/run-headers.ts'
import type { FindServed } from '../served/served-prompt.ts'
import { type AttemptDeps, attempt, replay } from './attempt.ts'
import { cachingOf, hitFields } from './caching.ts'
import { secretsOf } from './credentials.ts'
import type { Exchange } from './exchange.ts'
import { type Ended, failureIn, outcomeFields, payloadOf } from './outcome.ts'
import { workspaceOf } from './place.ts'
import type { PreparedCall } from './prepared-call.ts'
import { servePrompt } from './serve-prompt.ts'

export type MakeCallDeps = AttemptDeps & {
  readonly db: Db
  readonly retryQueue: Pick<RetryQueue, 'store'>
  readonly findServed: FindServed
  readonly count: CountTokens
  readonly budgets: Pick<Budgets, 'admit' | 'notify'>
  readonly cache: ResponseCache
  readonly clock: Clock
  readonly newId: NewId
  readonly instanceId: string
}

const unknownModel = 'unknown'

/** Reads a model call and checks its place. Throws a problem; nothing is stored or sent then. */
export async function prepareCall(
  { db, findServed }: Pick<MakeCallDeps, 'db' | 'findServed'>,
  exchange: Exchange,
  provider: DirectProvider,
  body: Buffer,
): Promise<PreparedCall> {
  const { ctx, match, req } = exchange
  const headers = runHeadersOf(req.headers)
  const workspaceId = await workspaceOf(db.read, ctx, headers)
  const asked = requestFieldsOf(match.protocol, body, match.model)
  const checked = { exchange, provider, headers, workspaceId }
  return { ...checked, attempt: null, ...(await servePrompt({ findServed }, { ...checked, asked, body })) }
}

/** Returns the fields of the run that are known before the call. */
function initialFields(call: PreparedCall, at: Date) {
  const { exchange, provider, asked, headers, workspaceId, served } = call
  const { actor } = exchange.ctx
  return {
    provider: provider.name,
    model: asked.model?.trim().slice(0, 128) || unknownModel,
    source: gatewaySource,
    ref_key: served?.key ?? headers.refKey,
    version: served === null ? headers.version : served.version,
    env: served?.env ?? headers.env,
    prompt_hash: served?.hash ?? null,
    workspace_id: workspaceId,
    parent_id: null,
    variables: served === null ? null : [...served.variables],
    params: paramsOf(asked.params),
    created_at: at.toISOString(),
    app: actor.kind === 'api_token' ? actor.name.slice(0, 128) : null,
    session_id: headers.sessionId,
    end_user: asked.endUser?.trim().slice(0, 128) || null,
    tags: headers.tags,
    trace_id: headers.traceId,
    metadata:
      call.attempt === null ? null : { virtual_model: call.attempt.model, attempt: call.attempt.number },
  }
}

/** The result of a call: its run, and the failure if it has one. */
export type CallResult = {
  readonly ended: Ended
  readonly failure: ModelError | null
  readonly run: Run | null
  /** True if nothing was sent to the caller and the next model is tried. */
  readonly triesNext: boolean
}

/**
 * Makes a model call: stores the intent, passes request and reply on, and replaces the intent with the run. Throws if
 * the intent cannot be stored; otherwise the run is in the log exactly once. `onEnded` is called before it is stored,
 * with the error to reply with if nothing was sent to the caller.
 */
export async function makeCall(
  deps: MakeCallDeps,
  call: PreparedCall,
  signal: AbortSignal,
  onEnded: (failure: ModelError | null, callId: string) => void,
): Promise<CallResult> {
  const { exchange, provider, asked, body, path, served } = call
  const { ctx, hasOwnKey } = exchange
  const callId = deps.newId()
  const at = deps.clock.now()
  const fields = { ...initialFields(call, at), callId }
  const counters = await storeIntent(deps, call, fields, at)
  const begun = performance.now()
  const elapsedMs = () => Math.round((performance.now() - begun) * 1000) / 1000
  let ttftMs: number | null = null
  const state: CallState & { secrets: string[] } = { signal, secrets: secretsOf(exchange) }
  const report = provider.observe()
  const { hasNext = false, timeoutMs = null } = call.attempt ?? {}
  const timeouts = timeoutMs === null ? deps.timeouts : { ...deps.timeouts, firstMs: timeoutMs }
  const caching = await cachingOf(deps.db, call)
  const cached = caching === null ? null : deps.cache.get(caching.key)
  const ask = (key: string | null) =>
    attempt(
      { ...deps, timeouts },
      {
        exchange,
        provider,
        body,
        path,
        key,
        callId,
        signal,
        hasNext,
        onComplete: caching && ((reply) => deps.cache.put(caching.key, reply, caching.seconds)),
        onFirst: () => {
          ttftMs ??= elapsedMs()
        },
      },
    )
  const ended = cached === null ? await withKey(call, state.secrets, ask) : replay(exchange, callId, cached)
  const latencyMs = elapsedMs()
  const failure = failureIn(ended, state)
  // The result of a call with a key of the caller does not show whether the provider works.
  if (cached !== null) ttftMs = latencyMs
  else if (failure === null) report({ latencyMs: ttftMs ?? latencyMs })
  else if (!(hasOwnKey && failure.type === 'unauthorized')) report({ error: failure })
  const triesNext = hasNext && failure !== null && !ended.isSent && !signal.aborted
  if (!triesNext) onEnded(ended.status === null ? failure : null, callId)
  const record: CallRecord = {
    ...fields,
    counters,
    ...(await outcomeFields(asked, ended, failure, { count: deps.count, secrets: state.secrets })),
    ...payloadOf(asked, ended.content, served, state.secrets),
    latency_ms: latencyMs,
    ttft_ms: isStream(ended) ? ttftMs : null,
    capture: null,
    ...(cached !== null && hitFields),
  }
  const run = await deps.retryQueue
    .store(ctx, record, ({ q }) => takeIntent(q, callId))
    // Reported by the queue, which stores it later. The reply was sent already.
    .catch(() => null)
  await deps.budgets.notify(budgetCallOf(call))
  return { ended, failure, run, triesNext }
}

const budgetCallOf = ({ exchange: { ctx }, workspaceId }: PreparedCall): BudgetCall => ({
  tokenId: ctx.actor.kind === 'api_token' ? ctx.actor.id : null,
  workspaceId,
})

/** Stores the intent of a call that its budgets let in. Returns what the call counts for. */
async function storeIntent(
  { db, budgets, instanceId }: MakeCallDeps,
  call: PreparedCall,
  fields: ReturnType<typeof initialFields> & { readonly callId: string },
  at: Date,
): Promise<BudgetCounter[]> {
  try {
    return await db.write(async ({ q }) => {
      const counters = await budgets.admit(q, budgetCallOf(call), at)
      const intent = { id: fields.callId, instanceId, at }
      await insertIntent(q, intentOf(call.exchange.ctx, intent, { ...fields, counters }))
      return counters
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'budget.used_up') await budgets.notify(budgetCallOf(call))
    throw error
  }
}

/** Runs an attempt with the key of the service, if the call needs it. */
async function withKey(
  { exchange, provider }: PreparedCall,
  secrets: string[],
  run: (key: string | null) => Promise<Ended>,
): Promise<Ended> {
  const { hasKey, key: readKey } = provider.settings
  if (exchange.hasOwnKey || !hasKey || provider.refusal(false) !== null) return run(null)
  const key = await readKey()
  if (key !== null) secrets.push(key)
  return run(key)
}

/** A reply that is not streamed has no first token. */
const isStream = ({ headers }: Ended): boolean => /event-stream|ndjson/.test(headers['content-type'] ?? '')
