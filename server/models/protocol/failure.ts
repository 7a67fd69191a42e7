import { retryAfterMsOf } from '../../lib/text/retry-after.ts'
import { ModelError, type ModelErrorType } from '../model.ts'
import { abortErrorOf } from '../policies/sleep.ts'
import { messageIn, readableMessage } from './error-message.ts'

/** The signal of a call, and the secrets that its error messages must not contain. */
export type CallState = { readonly signal: AbortSignal; readonly secrets: readonly string[] }

/** Returns the error type for an HTTP status. */
export function typeOfStatus(status: number): ModelErrorType {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 429) return 'rate_limited'
  if (status === 408 || status >= 500) return 'provider_error'
  return status >= 400 ? 'bad_request' : 'malformed'
}

/** Returns the error for an HTTP refusal. `message` is the provider's message, or null. */
export function refusal(
  status: number,
  message: string | null,
  headers: Readonly<Record<string, string | undefined>>,
  { secrets }: CallState,
): ModelError {
  const retryAfterMs = retryAfterMsIn(headers)
  return new ModelError(typeOfStatus(status), readableMessage(message ?? defaultRefusal(status), secrets), {
    status,
    ...(retryAfterMs !== null && { retryAfterMs }),
  })
}

const defaultRefusal = (status: number): string =>
  `The provider returned status ${status}${status === 404 ? '. Check the address' : ''}`

/** Returns the requested delay in milliseconds, or null. OpenAI adds a header in milliseconds. */
function retryAfterMsIn(headers: Readonly<Record<string, string | undefined>>): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return exact
  return retryAfterMsOf(headers['retry-after'])
}

const typePatterns: readonly (readonly [RegExp, ModelErrorType])[] = [
  [/rate_limit|quota|resource_exhausted/i, 'rate_limited'],
  [/authentication|permission|unauthorized/i, 'unauthorized'],
  [/invalid|bad_request|not_found|context_length/i, 'bad_request'],
]

/** Returns the error for an error frame within a stream, as OpenAI, Anthropic and Ollama send it. */
export function frameFailure(frame: unknown, { secrets }: CallState): ModelError {
  const { type, code, statusCode } = (typeof frame === 'object' && frame !== null ? frame : {}) as {
    readonly type?: unknown
    readonly code?: unknown
    readonly statusCode?: unknown
  }
  const status = [statusCode, code]
    .map(Number)
    .find((value) => Number.isInteger(value) && value >= 400 && value < 600)
  const identifiers = `${String(type ?? '')} ${String(code ?? '')}`
  const known = typePatterns.find(([pattern]) => pattern.test(identifiers))?.[1] ?? 'provider_error'
  const message = messageIn(frame) ?? 'It ended with an error without a message'
  return new ModelError(
    status === undefined ? known : typeOfStatus(status),
    readableMessage(message, secrets),
    {
      ...(status !== undefined && { status }),
    },
  )
}

/** The reason for a response of another protocol. */
export const unexpectedProtocol = 'it does not follow the protocol of this provider'

/** Returns the error for a response that could not be parsed. */
export const malformed = (reason: string): ModelError =>
  new ModelError('malformed', `The response could not be read: ${reason}`)

/** Returns the error for a body that ended before the protocol allows it. */
export const unfinished = (isBegun: boolean): ModelError =>
  malformed(isBegun ? 'it ended in the middle' : 'it does not use this protocol. Check the address')

/** Yields an error and its causes, outermost first. Handles a cycle of causes. */
function* causes(error: unknown): Generator<unknown> {
  const seen = new Set<unknown>()
  for (let current = error; current !== undefined && current !== null && !seen.has(current); ) {
    seen.add(current)
    yield current
    current = current instanceof Error ? current.cause : undefined
  }
}

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

/**
 * Returns the error for a failed or lost connection, as Node's sockets and `fetch` report it, or null for
 * others.
 */
export function networkFailure(error: unknown, { secrets }: CallState): ModelError | null {
  const chain = [...causes(error)]
  // Sockets, TLS, resolvers and undici have codes in capitals.
  const coded = chain.find((cause) => /^[A-Z][A-Z0-9_]+$/.test(codeOf(cause) ?? ''))
  const code = codeOf(coded)
  const isTerminated = chain.some((cause) => cause instanceof TypeError && cause.message === 'terminated')
  if (isTerminated || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') {
    return new ModelError('unreachable', 'The connection was lost')
  }
  if (code !== null) {
    const message = coded instanceof Error && coded.message !== '' ? coded.message : code
    return new ModelError('unreachable', readableMessage(`No connection: ${message}`, secrets))
  }
  const isFetch = chain.some((cause) => cause instanceof TypeError && /^fetch failed/i.test(cause.message))
  return isFetch ? new ModelError('unreachable', 'No connection') : null
}

/**
 * Returns any thrown value as a `ModelError`. The original is not kept as its cause: it contains headers and
 * bodies.
 */
export function failureOf(error: unknown, state: CallState): ModelError {
  if (state.signal.aborted) return abortErrorOf(state.signal)
  const modelError = [...causes(error)].find((cause) => cause instanceof ModelError)
  if (modelError instanceof ModelError) return modelError
  const network = networkFailure(error, state)
  if (network !== null) return network
  const message =
    error instanceof Error ? `${error.name}: ${error.message}` : 'Something unexpected was thrown'
  return new ModelError('provider_error', readableMessage(message, state.secrets))
}
