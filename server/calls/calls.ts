import type { Run } from '../../contract/runs/run.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { type Context, principalOf } from '../lib/context.ts'
import { fail, Problem, serviceStopping } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import { ModelError, type Models } from '../models/model.ts'
import { type ActiveCalls, createActiveCalls } from './active-calls.ts'
import { initialFields, intentOf } from './intents/intent.ts'
import { insertIntent, takeIntent } from './intents/intents.store.ts'
import type { CallRecord, RecordCall } from './intents/record.ts'
import { createRetryQueue, RecordedElsewhere, type RetryQueue } from './intents/retry-queue.ts'
import { type CallDone, CallFailed, type CallRequest, type Calls } from './request/call.ts'
import { prepare } from './request/prepare.ts'
import { payloadOf } from './result/payload.ts'
import { collectResponse, type ModelResponse, type ResponseEvent } from './result/response.ts'
import { type CountTokens, countUsage } from './result/usage.ts'

export type CallsDeps = {
  readonly db: Db
  readonly record: RecordCall
  readonly models: Models
  readonly count: CountTokens
  readonly clock: Clock
  readonly newId: NewId
  /** Identifies this instance of the service. */
  readonly instanceId: string
  readonly onRun: (run: Run) => void
  /** Receives errors for which no caller waits. */
  readonly onError: (error: unknown) => void
}

type State = CallsDeps & { readonly active: ActiveCalls; readonly retryQueue: RetryQueue }

export function createCalls(deps: CallsDeps): Calls {
  const state: State = { ...deps, active: createActiveCalls(), retryQueue: createRetryQueue(deps) }
  return {
    call: (ctx, request, signal, onEvent = () => {}, onBegun = () => {}) =>
      startCall(state, { ctx, request, onEvent, onBegun }, signal),

    async close() {
      await state.active.close()
      await state.retryQueue.close()
    },
  }
}

type Call = {
  readonly ctx: Context
  readonly request: CallRequest
  readonly onEvent: (event: ResponseEvent) => void
  readonly onBegun: () => void
}

/** Makes a call that ends when the caller's signal aborts or the service closes. */
async function startCall(state: State, call: Call, signal: AbortSignal): Promise<CallDone> {
  if (state.active.isClosing()) throw serviceStopping()
  return state.active.run(signal, reasonOf, (combined) => makeCall(state, call, combined))
}

/** The caller may give a reason, such as a time limit or a shutdown. */
const reasonOf = ({ reason }: AbortSignal): ModelError =>
  reason instanceof ModelError
    ? reason
    : new ModelError('cancelled', 'The caller disconnected before the response was complete')

/** Stores the intent, reads the response, stores the run. */
async function makeCall(state: State, call: Call, signal: AbortSignal): Promise<CallDone> {
  const { ctx, request } = call
  const prepared = prepare(state.models, request)
  const { choice, rendered, generate } = prepared
  const id = state.newId()
  const at = state.clock.now()
  const fields = initialFields(request, prepared, at)
  const { instanceId } = state
  await state.db.write(({ q }) => insertIntent(q, intentOf(ctx, { id, instanceId, at }, fields)))
  call.onBegun()
  const response = await collectResponse(
    (input, abortSignal) => choice.generate(input, abortSignal, principalOf(ctx.actor)),
    generate,
    signal,
    call.onEvent,
  )
  const record: CallRecord = {
    ...fields,
    ...outcomeOf(response),
    ...(await countUsage(state.count, generate, response)),
    ...payloadOf(request, prepared, response),
    capture: request.capture,
  }
  const run = await state.retryQueue
    .store(ctx, record, ({ q }) => takeIntent(q, id))
    .catch((error: unknown) => {
      throw withOutput(error, rendered, response)
    })
  const { output, failure, toolCalls, finishReason } = response
  if (failure !== null) throw new CallFailed({ rendered, run, reason: failure, partial: output })
  const { provider } = request
  const { model } = generate
  const result = { provider, model, output, tool_calls: [...toolCalls], finish_reason: finishReason }
  return { rendered, messages: [...generate.messages], result, run }
}

function outcomeOf({ failure, finishReason, latencyMs, ttftMs }: ModelResponse) {
  return {
    latency_ms: latencyMs,
    ttft_ms: ttftMs,
    finish_reason: finishReason,
    status: failure === null ? ('ok' as const) : ('error' as const),
    error: failure === null ? null : `${failure.type}: ${failure.message}`,
    error_type: failure?.type ?? null,
  }
}

/**
 * Adds the output to an error of the store: the call was paid for, so its response must not be lost with its
 * run.
 */
function withOutput(error: unknown, rendered: string, { output, failure }: ModelResponse): unknown {
  if (!(error instanceof Problem)) return error
  const outcome = failure === null ? 'The model responded' : `The call failed (${failure.type})`
  const retryNote =
    error instanceof RecordedElsewhere ? '' : ', but its run cannot be stored now; storing is retried'
  return fail(error.code, {
    detail: `${outcome}${retryNote}. ${error.message}`,
    call: { rendered, output, runId: null, errorType: failure?.type ?? null },
    cause: error.extra.cause ?? error,
  })
}
