import type { Run } from '../../contract/run.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { type Context, principalOf } from '../lib/context.ts'
import { fail, Problem } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import { ModelError, type Models } from '../models/model.ts'
import { type Answer, hear } from './answer.ts'
import { CallFailed, type CallRequest, type Calls } from './call.ts'
import { intentOf, knownOf } from './intent.ts'
import { insertIntent, takeIntent } from './intents.store.ts'
import { createOwed } from './owed.ts'
import { payloadOf } from './payload.ts'
import { prepare } from './prepare.ts'
import type { CallRecord, RecordCall } from './record.ts'
import { type CountTokens, countUsage } from './usage.ts'

export type CallsDeps = {
  readonly db: Db
  readonly record: RecordCall
  readonly models: Models
  readonly count: CountTokens
  readonly clock: Clock
  readonly newId: NewId
  /** Called with the run of each call. */
  readonly onRun: (run: Run) => void
  /** Receives errors for which no caller waits. */
  readonly onError: (error: unknown) => void
}

export function createCalls(deps: CallsDeps): Calls {
  const { db, models, clock, newId } = deps
  /** Calls in progress, by the controller that ends each. */
  const active = new Map<AbortController, Promise<unknown>>()
  const owed = createOwed({ record: deps.record, onRun: deps.onRun, onError: deps.onError })
  let isClosing = false

  /** Makes the call: stores the intent, reads the answer, stores the run. */
  async function run(
    ctx: Context,
    request: CallRequest,
    stop: AbortController,
    hearing: { onEvent: NonNullable<Parameters<Calls['call']>[3]>; onBegun: () => void },
  ) {
    const prepared = prepare(models, request)
    const { choice, rendered } = prepared
    const id = newId()
    const at = clock.now()
    const known = knownOf(request, prepared, at)
    await db.write(({ q }) => insertIntent(q, intentOf(ctx, id, known, at)))
    hearing.onBegun()
    const answer = await hear(
      (generated, signal) => choice.generate(generated, signal, principalOf(ctx.actor)),
      prepared.generate,
      stop.signal,
      hearing.onEvent,
    )
    const record: CallRecord = {
      ...known,
      ...outcomeOf(answer),
      ...(await countUsage(deps.count, prepared.generate, answer)),
      ...payloadOf(request, prepared, answer),
      capture: request.capture,
    }
    const kept = await owed
      .keep(ctx, record, ({ q }) => takeIntent(q, id))
      .catch((error: unknown) => {
        throw unkept(error, rendered, answer)
      })
    const { output, failure } = answer
    if (failure !== null) throw new CallFailed({ rendered, run: kept, reason: failure, partial: output })
    const { toolCalls, finishReason } = answer
    const { provider } = request
    const { model } = prepared.generate
    const result = { provider, model, output, tool_calls: [...toolCalls], finish_reason: finishReason }
    return { rendered, result, run: kept }
  }

  return {
    async call(ctx, request, signal, onEvent = () => {}, onBegun = () => {}) {
      if (isClosing) throw fail('store.unavailable', { detail: 'The service is ending.' })
      const stop = new AbortController()
      const left = () =>
        stop.abort(
          // The caller may give a reason, such as a time limit or a shutdown.
          signal.reason instanceof ModelError
            ? signal.reason
            : new ModelError('cancelled', 'The caller left before the answer was whole'),
        )
      if (signal.aborted) left()
      signal.addEventListener('abort', left)
      const running = run(ctx, request, stop, { onEvent, onBegun })
      active.set(stop, running)
      try {
        return await running
      } finally {
        active.delete(stop)
        signal.removeEventListener('abort', left)
      }
    },

    async close() {
      isClosing = true
      const ended = new ModelError('interrupted', 'The service ended while the call was under way')
      for (const stop of active.keys()) stop.abort(ended)
      await Promise.allSettled(active.values())
      await owed.close()
    },
  }
}

function outcomeOf({ failure, finishReason, latencyMs, ttftMs }: Answer) {
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
 * Adds the output to an error of the store: the call was paid for, so its answer must not be lost with its
 * run.
 */
function unkept(error: unknown, rendered: string, { output, failure }: Answer): unknown {
  if (!(error instanceof Problem)) return error
  const happened = failure === null ? 'The model answered' : `The call failed (${failure.type})`
  return fail(error.code, {
    detail: `${happened}, but its run cannot be kept now; it will be tried again. ${error.message}`,
    call: { rendered, output, runId: null, errorType: failure?.type ?? null },
    cause: error.extra.cause ?? error,
  })
}
