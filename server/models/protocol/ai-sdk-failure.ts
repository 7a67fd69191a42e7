import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { ModelError } from '../model.ts'
import { abortErrorOf } from '../policies/sleep.ts'
import { messageInBody, readableMessage } from './error-message.ts'
import {
  type CallState,
  failureOf,
  frameFailure,
  malformed,
  networkFailure,
  refusal,
  unexpectedProtocol,
} from './failure.ts'

const isUnreadable = (error: unknown): boolean =>
  [JSONParseError, TypeValidationError, InvalidResponseDataError, EmptyResponseBodyError].some((type) =>
    type.isInstance(error),
  )
const isUnsupported = (error: unknown): boolean =>
  [UnsupportedFunctionalityError, InvalidPromptError, InvalidArgumentError].some((type) =>
    type.isInstance(error),
  )

/** Anthropic's adapter reports an unreadable first frame as a 500 with the reason in the body. */
const isHiddenParseError = (body: string | undefined): boolean =>
  /"name":"AI_(?:JSONParseError|TypeValidationError)"/.test(body ?? '')

/**
 * Returns the error for what the AI SDK throws or puts into its stream. SDK messages about unreadable responses
 * quote the response, so they are dropped.
 */
export function aiSdkFailure(error: unknown, state: CallState): ModelError {
  if (state.signal.aborted) return abortErrorOf(state.signal)
  if (isUnreadable(error)) return malformed(unexpectedProtocol)
  if (error instanceof Error && isUnsupported(error)) {
    return new ModelError('bad_request', readableMessage(error.message, state.secrets))
  }
  if (APICallError.isInstance(error)) return apiCallFailure(error, state)
  return error instanceof Error ? failureOf(error, state) : frameFailure(error, state)
}

function apiCallFailure(error: APICallError, state: CallState): ModelError {
  const { cause, statusCode: status, responseHeaders = {}, responseBody } = error
  if (cause instanceof ModelError) return cause
  if (isHiddenParseError(responseBody)) return malformed(unexpectedProtocol)
  const isRefused = status !== undefined && (status < 200 || status >= 300)
  if (isRefused) return refusal(status, messageInBody(responseBody ?? ''), responseHeaders, state)
  const network = networkFailure(error, state)
  if (network !== null) return network
  return cause === undefined ? malformed('it is not a stream') : failureOf(cause, state)
}
