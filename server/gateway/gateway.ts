import type { VirtualModel } from '../../contract/gateway/virtual-models.ts'
import type { Run } from '../../contract/runs/run.ts'
import { type ActiveCalls, createActiveCalls } from '../calls/active-calls.ts'
import type { RecordCall } from '../calls/intents/record.ts'
import { createRetryQueue } from '../calls/intents/retry-queue.ts'
import type { CountTokens } from '../calls/result/usage.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { principalOf } from '../lib/context.ts'
import { fail, type Problem, serviceStopping } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import type { DirectModels, DirectProvider, ModelError } from '../models/model.ts'
import { QueueFull } from '../models/policies/fair-queue.ts'
import { createPassThrough } from '../outbound/pass-through.ts'
import type { Resolve } from '../outbound/targets.ts'
import type { Budgets } from './budgets/budgets.ts'
import { createUncountedCalls } from './budgets/uncounted-calls.ts'
import { createResponseCache } from './cache/response-cache.ts'
import { attempt } from './call/attempt.ts'
import { offlineAdvice, providerOf, withOfflineModel } from './call/choose-provider.ts'
import type { Exchange } from './call/exchange.ts'
import { type MakeCallDeps, makeCall, prepareCall } from './call/make-call.ts'
import { asFailure } from './call/outcome.ts'
import { workspaceOf } from './call/place.ts'
import type { PreparedCall } from './call/prepared-call.ts'
import { planOf, withTarget } from './call/targets.ts'
import { defaultTimeouts, type GatewayTimeouts } from './call/timer.ts'
import type { BodyReader } from './request/body.ts'
import { runHeadersOf } from './request/run-headers.ts'
import type { FindServed } from './served/served-prompt.ts'

export type GatewayDeps = {
  readonly db: Db
  readonly record: RecordCall
  readonly models: DirectModels
  readonly count: CountTokens
  readonly findServed: FindServed
  readonly budgets: Budgets
  readonly virtualModels: () => readonly VirtualModel[]
  readonly clock: Clock
  readonly newId: NewId
  /** Identifies this instance of the service. */
  readonly instanceId: string
  readonly resolve: Resolve
  readonly bodies: BodyReader
  readonly timeouts?: GatewayTimeouts
  /** Called with the run of each call. */
  readonly onRun: (run: Run) => void
  /** Receives errors for which no caller waits. */
  readonly onError: (error: unknown) => void
}

/** The error of a call to which nothing was replied yet, and the id of its run. */
export type CallError = {
  readonly problem: Problem
  readonly callId: string | null
  readonly isFinal: boolean
}

/** Passes requests in the providers' own protocols on to them, and logs each model call. */
export type Gateway = {
  /**
   * Handles a request whose caller is authorized. Throws a problem if it is rejected before a run begins. `onError`
   * receives a later error, if nothing was replied.
   */
  handle(exchange: Exchange, onError: (error: CallError) => void): Promise<void>
  /** Ends active calls as `interrupted`. Resolves when all their runs are in the run log. */
  close(): Promise<void>
}

type State = Omit<MakeCallDeps, 'retryQueue'> &
  Pick<GatewayDeps, 'models' | 'bodies' | 'virtualModels'> & {
    readonly retryQueue: ReturnType<typeof createRetryQueue>
    readonly active: ActiveCalls
  }

export function createGateway(deps: GatewayDeps): Gateway {
  const outbound = createPassThrough({ resolve: deps.resolve })
  const state: State = {
    ...deps,
    outbound,
    timeouts: deps.timeouts ?? defaultTimeouts,
    retryQueue: createRetryQueue(deps),
    active: createActiveCalls(),
    uncounted: createUncountedCalls(),
    cache: createResponseCache(() => deps.clock.now().getTime()),
  }
  return {
    handle: (exchange, onError) => handle(state, exchange, onError),
    async close() {
      await state.active.close()
      await state.retryQueue.close()
      outbound.close()
    },
  }
}

/** Runs a request so that it ends when its caller disconnects or the service stops. */
async function handle(state: State, exchange: Exchange, onError: (error: CallError) => void): Promise<void> {
  if (state.active.isClosing()) throw serviceStopping()
  const reasonOf = ({ reason }: AbortSignal): unknown => reason
  await state.active.run(exchange.signal, reasonOf, (signal) => passOn(state, exchange, signal, onError))
}

async function passOn(
  state: State,
  exchange: Exchange,
  signal: AbortSignal,
  onError: (error: CallError) => void,
): Promise<void> {
  const { req, match } = exchange
  const provider = providerOf(state.models, exchange)
  const isCall = match.operation === 'chat' || match.operation === 'embeddings'
  if (req.method === 'GET') return passUnlogged(state, exchange, provider, null, signal)
  const { body, content, release } = await state.bodies.read(req, principalOf(exchange.ctx.actor))
  try {
    if (!isCall) return await passUnlogged(state, exchange, provider, body, signal)
    const call = await prepareCall(state, exchange, provider, { body, content })
    await callWithFallbacks(state, call, signal, (failure, callId) => {
      if (failure !== null) onError(errorOf(failure, callId, offlineAdvice(state.models, call)))
    })
  } finally {
    release()
  }
}

/** Makes a call. For a virtual model, tries its models in order until one responds. */
async function callWithFallbacks(
  state: State,
  call: PreparedCall,
  signal: AbortSignal,
  onEnded: Parameters<typeof makeCall>[3],
): Promise<void> {
  const plan = planOf(state.models, state.virtualModels(), call)
  if (plan === null)
    return void (await makeCall(state, withOfflineModel(state.models, call), signal, onEnded))
  const { virtual, targets } = plan
  for (const [index, target] of targets.entries()) {
    const attempt = {
      model: virtual.name,
      number: index + 1,
      hasNext: index + 1 < targets.length,
      timeoutMs: virtual.timeout_ms,
    }
    const { triesNext } = await makeCall(state, { ...withTarget(call, target), attempt }, signal, onEnded)
    if (!triesNext) return
  }
}

/** Passes on a request that is no model call: it has no run. */
async function passUnlogged(
  state: State,
  exchange: Exchange,
  provider: DirectProvider,
  body: Buffer | null,
  signal: AbortSignal,
): Promise<void> {
  await workspaceOf(state.db.read, exchange.ctx, runHeadersOf(exchange.req.headers))
  const { settings } = provider
  const usesKey = !exchange.hasOwnKey && settings.hasKey && provider.refusal(false) === null
  const key = usesKey ? await settings.key() : null
  const ignore = () => undefined
  const { status, error } = await attempt(state, {
    exchange,
    provider,
    body,
    content: body,
    isRewritten: false,
    path: exchange.match.path,
    key,
    callId: null,
    ready: Promise.resolve(),
    hasNext: false,
    onComplete: null,
    signal,
    onSlot: ignore,
    onFirst: ignore,
  })
  if (status !== null || error === null) return
  const secrets = key === null ? [] : [key]
  throw errorOf(asFailure(error, { signal, secrets }), null).problem
}

const isFinal = ({ type }: ModelError): boolean => type === 'not_configured' || type === 'host_refused'

/** Returns the problem for a call to which the provider did not reply. `advice`: for one that is not set up. */
function errorOf(failure: ModelError, callId: string | null, advice: string | null = null): CallError {
  const code =
    failure instanceof QueueFull
      ? 'rate_limited'
      : failure.type === 'timeout'
        ? 'provider.timeout'
        : failure.type === 'not_configured' || failure.type === 'interrupted'
          ? 'provider.unavailable'
          : 'provider.failed'
  const problem = fail(code, {
    detail:
      failure.type === 'not_configured' && advice !== null
        ? `${failure.message}. ${advice}`
        : failure.message,
    ...(failure.retryAfterMs !== null && { retryAfter: Math.ceil(failure.retryAfterMs / 1000) }),
    cause: failure,
  })
  return { problem, callId, isFinal: isFinal(failure) }
}
