import type { Run } from '../../contract/runs/run.ts'
import type { RecordCall } from '../calls/intents/record.ts'
import { createRetryQueue } from '../calls/intents/retry-queue.ts'
import type { CountTokens } from '../calls/result/usage.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, type Problem } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import { type DirectModels, type DirectProvider, ModelError } from '../models/model.ts'
import { QueueFull } from '../models/policies/fair-queue.ts'
import { providerOfProtocol } from '../models/providers.ts'
import { createPassThrough } from '../outbound/pass-through.ts'
import type { Resolve } from '../outbound/targets.ts'
import { attempt } from './call/attempt.ts'
import type { Exchange } from './call/exchange.ts'
import { type MakeCallDeps, makeCall, prepareCall } from './call/make-call.ts'
import { asFailure } from './call/outcome.ts'
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
  readonly clock: Clock
  readonly newId: NewId
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
   * Handles a request whose caller is authorized. Throws a problem if it is refused before a run begins. `onError`
   * receives a later error, if nothing was replied.
   */
  handle(exchange: Exchange, onError: (error: CallError) => void): Promise<void>
  /** Ends active calls as `interrupted`. Resolves when all their runs are in the run log. */
  close(): Promise<void>
}

type State = Omit<MakeCallDeps, 'retryQueue'> &
  Pick<GatewayDeps, 'models' | 'bodies'> & {
    readonly retryQueue: ReturnType<typeof createRetryQueue>
    /** Calls in progress, by the controller that ends each. */
    readonly active: Map<AbortController, Promise<unknown>>
    isClosing: boolean
  }

export function createGateway(deps: GatewayDeps): Gateway {
  const outbound = createPassThrough({ resolve: deps.resolve })
  const state: State = {
    ...deps,
    outbound,
    timeouts: deps.timeouts ?? defaultTimeouts,
    retryQueue: createRetryQueue(deps),
    active: new Map(),
    isClosing: false,
  }
  return {
    handle: (exchange, onError) => handle(state, exchange, onError),
    async close() {
      state.isClosing = true
      const reason = new ModelError('interrupted', 'The service stopped during the call')
      for (const controller of state.active.keys()) controller.abort(reason)
      await Promise.allSettled(state.active.values())
      await state.retryQueue.close()
      outbound.close()
    },
  }
}

/** Runs a request so that it ends when its caller leaves or the service stops. */
async function handle(state: State, exchange: Exchange, onError: (error: CallError) => void): Promise<void> {
  if (state.isClosing) throw fail('store.unavailable', { detail: 'The service is stopping.' })
  const controller = new AbortController()
  const { signal } = exchange
  const onAbort = () => controller.abort(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  const running = passOn(state, exchange, controller.signal, onError)
  state.active.set(controller, running)
  try {
    await running
  } finally {
    state.active.delete(controller)
    signal.removeEventListener('abort', onAbort)
  }
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
  const { body, release } = await state.bodies.read(req)
  try {
    if (!isCall) return await passUnlogged(state, exchange, provider, body, signal)
    const call = await prepareCall(state, exchange, provider, body)
    await makeCall(state, call, signal, (failure, callId) => {
      if (failure !== null) onError(errorOf(failure, callId))
    })
  } finally {
    release()
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
  const { settings } = provider
  const usesKey = !exchange.hasOwnKey && settings.hasKey && provider.refusal(false) === null
  const key = usesKey ? await settings.key() : null
  const onFirst = () => undefined
  const { status, error } = await attempt(state, {
    exchange,
    provider,
    body,
    path: exchange.match.path,
    key,
    callId: null,
    signal,
    onFirst,
  })
  if (status !== null || error === null) return
  const secrets = key === null ? [] : [key]
  throw errorOf(asFailure(error, { signal, secrets }), null).problem
}

/** Returns the provider of a request: the one it names, else the first that has its protocol. */
function providerOf(models: DirectModels, { match: { kind, protocol }, req }: Exchange): DirectProvider {
  const name = runHeadersOf(req.headers).provider ?? providerOfProtocol(kind)
  const provider = name === null ? null : models.direct(name)
  if (provider === null) throw fail('request.malformed', { detail: `The provider ${name} does not exist.` })
  if (provider.kind !== kind)
    throw fail('request.malformed', {
      detail: `The provider ${name} does not use the protocol of ${protocol.label}.`,
    })
  return provider
}

const isFinal = ({ type }: ModelError): boolean => type === 'not_configured' || type === 'host_refused'

/** Returns the problem for a call to which the provider did not reply. */
function errorOf(failure: ModelError, callId: string | null): CallError {
  const code =
    failure instanceof QueueFull
      ? 'rate_limited'
      : failure.type === 'timeout'
        ? 'provider.timeout'
        : failure.type === 'not_configured' || failure.type === 'interrupted'
          ? 'provider.unavailable'
          : 'provider.failed'
  const problem = fail(code, {
    detail: failure.message,
    ...(failure.retryAfterMs !== null && { retryAfter: Math.ceil(failure.retryAfterMs / 1000) }),
    cause: failure,
  })
  return { problem, callId, isFinal: isFinal(failure) }
}
