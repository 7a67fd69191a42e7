import { setTimeout as pause } from 'node:timers/promises'
import { gatewaySource } from '../../../contract/gateway/gateway.ts'
import type { Run } from '../../../contract/runs/run.ts'
import { intentOf } from '../../calls/intents/intent.ts'
import { insertIntent, takeIntent } from '../../calls/intents/intents.store.ts'
import type { CallRecord } from '../../calls/intents/record.ts'
import type { RetryQueue } from '../../calls/intents/retry-queue.ts'
import type { CountTokens } from '../../calls/result/usage.ts'
import type { Clock } from '../../lib/clock.ts'
import { principalOf } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import type { DirectProvider, ModelError } from '../../models/model.ts'
import type { Admission, Budgets } from '../budgets/budgets.ts'
import type { BudgetCall } from '../budgets/owners.ts'
import type { UncountedCalls } from '../budgets/uncounted-calls.ts'
import type { RequestBody } from '../request/body.ts'
import { paramsOf, requestFieldsOf } from '../request/request-fields.ts'
import { runHeadersOf } from '../request/run-headers.ts'
import type { FindServed } from '../served/served-prompt.ts'
import { hitFields } from './caching.ts'
import type { Exchange } from './exchange.ts'
import { type Ended, outcomeFields, payloadOf } from './outcome.ts'
import { workspaceOf } from './place.ts'
import type { PreparedCall } from './prepared-call.ts'
import { type ReplyDeps, replyTo } from './reply-to.ts'
import { servePrompt } from './serve-prompt.ts'

export type MakeCallDeps = ReplyDeps & {
  readonly retryQueue: Pick<RetryQueue, 'store'>
  readonly findServed: FindServed
  readonly count: CountTokens
  readonly budgets: Pick<Budgets, 'admit' | 'notify'>
  readonly uncounted: UncountedCalls
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
  { body, content }: RequestBody,
): Promise<PreparedCall> {
  const { ctx, match, req } = exchange
  const headers = runHeadersOf(req.headers)
  const workspaceId = await workspaceOf(db.read, ctx, headers)
  const requestFields = requestFieldsOf(match.protocol, content, match.model)
  const checked = { exchange, provider, headers, workspaceId }
  return {
    ...checked,
    attempt: null,
    ...(await servePrompt({ findServed }, { ...checked, requestFields, body, content })),
  }
}

/** Returns the fields of the run that are known before the call. */
function initialFields(call: PreparedCall, at: Date) {
  const { exchange, provider, requestFields, headers, workspaceId, served } = call
  const { actor } = exchange.ctx
  return {
    provider: provider.name,
    model: requestFields.model?.trim().slice(0, 128) || unknownModel,
    source: gatewaySource,
    ref_key: served?.key ?? headers.refKey,
    version: served === null ? headers.version : served.version,
    env: served?.env ?? headers.env,
    prompt_hash: served?.hash ?? null,
    workspace_id: workspaceId,
    parent_id: null,
    variables: served === null ? null : [...served.variables],
    params: paramsOf(requestFields.params),
    created_at: at.toISOString(),
    app: actor.kind === 'api_token' ? actor.name.slice(0, 128) : null,
    session_id: headers.sessionId,
    end_user: requestFields.endUser?.trim().slice(0, 128) || null,
    tags: headers.tags,
    trace_id: headers.traceId,
    metadata:
      call.attempt === null ? null : { virtual_model: call.attempt.model, attempt: call.attempt.number },
  }
}

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
  onEnded: OnEnded,
): Promise<CallResult> {
  const { ctx, res } = call.exchange
  const principal = principalOf(ctx.actor)
  await deps.uncounted.settle(principal)
  const onLimited = () => deps.uncounted.add({ principal, res, counted: result })
  const result: Promise<CallResult> = storeCall(deps, call, signal, { onLimited, onEnded })
  return result
}

type OnEnded = (failure: ModelError | null, callId: string) => void

/** `onLimited` is called before the reply if the call counts for a budget with a limit. */
async function storeCall(
  deps: MakeCallDeps,
  call: PreparedCall,
  signal: AbortSignal,
  { onLimited, onEnded }: { readonly onLimited: () => void; readonly onEnded: OnEnded },
): Promise<CallResult> {
  const { exchange, requestFields, served } = call
  const callId = deps.newId()
  const at = deps.clock.now()
  const fields = { ...initialFields(call, at), callId }
  const stored = storeIntent(deps, call, fields, at).then((admission) => {
    if (admission.isLimited) onLimited()
    return admission
  })
  const [{ counters, isLimited }, reply] = await Promise.all([
    stored,
    replyTo(deps, call, { callId, stored, signal }),
  ])
  const { ended, failure, secrets } = reply
  const triesNext = call.attempt?.hasNext === true && failure !== null && !ended.isSent && !signal.aborted
  if (!triesNext) onEnded(ended.status === null ? failure : null, callId)
  if (ended.isSent && !isLimited) await pauseAfterReply(signal)
  const record: CallRecord = {
    ...fields,
    counters,
    ...(await outcomeFields(requestFields, ended, failure, { count: deps.count, secrets })),
    ...payloadOf(requestFields, ended.content, served, secrets),
    latency_ms: reply.latencyMs,
    // A reply that is not streamed has no first token.
    ttft_ms: isStream(ended) ? reply.ttftMs : null,
    capture: null,
    ...(reply.isHit && hitFields),
  }
  const run = await deps.retryQueue
    .store(exchange.ctx, record, ({ q }) => takeIntent(q, callId))
    // Reported by the queue, which stores it later. The reply was sent already.
    .catch(() => null)
  if (isLimited) await deps.budgets.notify(budgetCallOf(call))
  return { ended, failure, run, triesNext }
}

/** Milliseconds in which the next call of the same caller usually arrives. */
const pauseMs = 10

/**
 * Waits before the run is stored. A caller often makes its next call as soon as a reply ends: that call would wait for
 * the work of storing the run, and for its sync to the disk. Resolves immediately if the signal aborts.
 */
const pauseAfterReply = (signal: AbortSignal): Promise<unknown> =>
  pause(pauseMs, undefined, { signal }).catch(() => undefined)

const budgetCallOf = ({ exchange: { ctx }, workspaceId }: PreparedCall): BudgetCall => ({
  tokenId: ctx.actor.kind === 'api_token' ? ctx.actor.id : null,
  workspaceId,
})

/** Stores the intent of a call that its budgets admit. */
async function storeIntent(
  { db, budgets, instanceId }: MakeCallDeps,
  call: PreparedCall,
  fields: ReturnType<typeof initialFields> & { readonly callId: string },
  at: Date,
): Promise<Admission> {
  try {
    return await db.write(async ({ q }) => {
      const admission = await budgets.admit(q, budgetCallOf(call), at)
      const { counters } = admission
      const intent = { id: fields.callId, instanceId, at }
      await insertIntent(q, intentOf(call.exchange.ctx, intent, { ...fields, counters }))
      return admission
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'budget.used_up') await budgets.notify(budgetCallOf(call))
    throw error
  }
}

const isStream = ({ headers }: Ended): boolean => /event-stream|ndjson/.test(headers['content-type'] ?? '')
