import type { ProviderTest } from '../../../../contract/models/providers.ts'
import { configurationProblem } from '../../../models/configuration.ts'
import { ModelError, type ModelErrorType } from '../../../models/model.ts'
import { keyTextOf, type ProviderState, toSettings } from '../state.ts'
import { keyRefused } from './health.ts'
import { usableNames } from './model-list.ts'

export type ConnectionTestDeps = {
  /** Returns a `fetch` that throws a `ModelError` for an address that must not be called. */
  readonly fetchFor: (options: { readonly isLocal: boolean }) => typeof globalThis.fetch
  readonly limitMs?: number
}

type Outcome = Omit<ProviderTest, 'latency_ms'>

const failure = (type: ModelErrorType, message: string, status: number | null = null): Outcome => ({
  ok: false,
  message,
  error_type: type,
  status,
  models: [],
})

const success = (message: string, models: string[], status: number | null): Outcome => ({
  ok: true,
  message,
  error_type: null,
  status,
  models,
})

/** Returns the meaning of a status for an admin. The body is not included: it may contain the key. */
function rejectionOf(status: number, hasKey: boolean): Outcome {
  if (status === 401 || status === 403) {
    const message = hasKey ? keyRefused(status) : `The provider requires a key (HTTP ${status}).`
    return failure('unauthorized', message, status)
  }
  if (status === 404) {
    return failure(
      'bad_request',
      'No list of models was found at this address (HTTP 404). Check the path of the address.',
      status,
    )
  }
  if (status === 429) {
    return failure(
      'rate_limited',
      'The provider reports too many requests (HTTP 429). Try again later.',
      status,
    )
  }
  if (status >= 500)
    return failure('provider_error', `The provider returned an error (HTTP ${status}).`, status)
  return failure(
    'bad_request',
    `The provider rejected the request (HTTP ${status}). Check the key and the address.`,
    status,
  )
}

const messageByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused. Check the address, and that the provider is running.',
  ENOTFOUND: 'The host was not found. Check the address.',
  EAI_AGAIN: 'The host name could not be looked up.',
  ECONNRESET: 'The connection was closed by the provider.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The provider did not respond in time.',
  EPROTO: 'The provider does not use TLS. Try an http address.',
  CERT_HAS_EXPIRED: 'The certificate of the provider has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the provider is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the provider is signed by an unknown authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the provider is signed by an unknown authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the provider is for a different host.',
}

/** Returns the first code in a chain of causes: `fetch failed` alone is not helpful. */
function codeOf(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return null
}

function failedRequest(error: unknown, limitMs: number): Outcome {
  if (error instanceof ModelError) return failure(error.type, `${error.message}.`, error.status)
  if (error instanceof Error && error.name === 'TimeoutError') {
    return failure('timeout', `The provider did not respond within ${limitMs / 1000} s.`)
  }
  const code = codeOf(error)
  const type = code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
  return failure(
    type,
    messageByCode[code ?? ''] ?? `The provider could not be reached${code === null ? '' : ` (${code})`}.`,
  )
}

/**
 * Tests a provider by requesting its models: this needs the address and the key and costs nothing. Never
 * rejects, except when the signal aborts.
 */
export type TestConnection = (state: ProviderState, signal?: AbortSignal) => Promise<ProviderTest>

export function createConnectionTest(deps: ConnectionTestDeps): TestConnection {
  return async (state, signal) => {
    const startedAt = performance.now()
    const outcome = await test(deps, state, signal)
    return { ...outcome, latency_ms: Math.round(performance.now() - startedAt) }
  }
}

async function test(
  { fetchFor, limitMs = 15_000 }: ConnectionTestDeps,
  state: ProviderState,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { facts, isLocal } = state
  if (facts.modelList === null) return success('Built into the service.', [...state.models], null)
  // Also tests a disabled provider, so that it can be tested before it is enabled.
  const reason = configurationProblem(facts, { ...toSettings(state), isEnabled: true })
  if (reason !== null) return failure('not_configured', `${reason}.`)
  const { path, headers, read } = facts.modelList
  const key = keyTextOf(state)
  const limit = AbortSignal.timeout(limitMs)
  const signals = signal === undefined ? limit : AbortSignal.any([limit, signal])
  try {
    const reply = await fetchFor({ isLocal })(`${state.baseUrl}${path}`, {
      headers: headers(key),
      signal: signals,
    })
    if (!reply.ok) {
      await reply.body?.cancel()
      return rejectionOf(reply.status, key !== null)
    }
    const models = read(parseJson(await reply.text()))
    if (models === null) {
      return failure(
        'malformed',
        `The server responded, but not in the format of ${facts.label}. Check the path of the address.`,
        reply.status,
      )
    }
    const usable = usableNames(models, key)
    const count = `${usable.length} ${usable.length === 1 ? 'model' : 'models'}`
    return success(`Connected: ${count} found.`, usable, reply.status)
  } catch (error) {
    signal?.throwIfAborted()
    return failedRequest(error, limitMs)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A reply that is not JSON is not a list of models.
    return null
  }
}
