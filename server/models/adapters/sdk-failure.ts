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
import { endOf } from '../policies/waiting.ts'
import { type CallState, failureOf, frameFailure, malformed, networkFailure, refusal } from './failure.ts'
import { sentence, sentenceInBody } from './sentence.ts'

const isUnreadable = (error: unknown): boolean =>
  [JSONParseError, TypeValidationError, InvalidResponseDataError, EmptyResponseBodyError].some((type) =>
    type.isInstance(error),
  )
const isUnasked = (error: unknown): boolean =>
  [UnsupportedFunctionalityError, InvalidPromptError, InvalidArgumentError].some((type) =>
    type.isInstance(error),
  )

/** Anthropic's adapter reports an unreadable first frame as a 500 with the reason in the body. */
const hidesUnreadable = (body: string | undefined): boolean =>
  /"name":"AI_(?:JSONParseError|TypeValidationError)"/.test(body ?? '')

/**
 * Returns the error for what the AI SDK throws or puts into its stream. SDK messages about unreadable answers
 * quote the answer, so they are dropped.
 */
export function sdkFailure(error: unknown, state: CallState): ModelError {
  if (state.signal.aborted) return endOf(state.signal)
  if (isUnreadable(error)) return malformed('it is not what this provider speaks')
  if (error instanceof Error && isUnasked(error)) {
    return new ModelError('bad_request', sentence(error.message, state.secrets))
  }
  if (!APICallError.isInstance(error)) {
    return error instanceof Error ? failureOf(error, state) : frameFailure(error, state)
  }
  if (error.cause instanceof ModelError) return error.cause
  const { statusCode: status, responseHeaders = {}, responseBody } = error
  if (hidesUnreadable(responseBody)) return malformed('it is not what this provider speaks')
  const isRefused = status !== undefined && (status < 200 || status >= 300)
  if (!isRefused) {
    return (
      networkFailure(error, state) ??
      (error.cause === undefined ? malformed('it is no stream') : failureOf(error.cause, state))
    )
  }
  return refusal(status, sentenceInBody(responseBody ?? ''), responseHeaders, state)
}
