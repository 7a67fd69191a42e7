import { pathBeyondDepth } from '../../../contract/formats/json.ts'
import { maxOutputLength } from '../../../contract/runs/run-content.ts'
import type { CallRecord } from '../../calls/intents/record.ts'
import type { Counts, CountTokens } from '../../calls/result/usage.ts'
import { ModelError, sumOfTokens } from '../../models/model.ts'
import { messageIn, readableMessage } from '../../models/protocol/error-message.ts'
import { type CallState, failureOf, frameFailure, refusal } from '../../models/protocol/failure.ts'
import { OutboundRefused } from '../../outbound/targets.ts'
import type { RequestFields } from '../protocols/protocol.ts'
import type { ReplyContent } from '../protocols/reply-content.ts'
import { requestIdIn } from '../reply/request-id.ts'
import { promptText, shortened } from '../request/request-fields.ts'
import type { ServedCall } from './serve-prompt.ts'

/** The end of an attempt. */
export type Ended = {
  /** The status of the reply; null without one. */
  readonly status: number | null
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Null: no reply began. */
  readonly content: ReplyContent | null
  /** False if the reply could not be parsed. */
  readonly isParsed: boolean
  /** The error that ended the attempt before the end of the reply; null if it was complete. */
  readonly error: unknown
  /** False if nothing was sent to the caller. */
  readonly isSent: boolean
}

/** Returns any error before the end of a reply as a `ModelError`. */
export function asFailure(error: unknown, state: CallState): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof OutboundRefused) return new ModelError('host_refused', error.message, { cause: error })
  return failureOf(error, state)
}

/** Returns the failure of a call; null if it succeeded. */
export function failureIn(ended: Ended, state: CallState): ModelError | null {
  const { status, content, headers, error } = ended
  if (error !== null) return asFailure(error, state)
  if (status !== null && status >= 300)
    return refusal(status, content === null ? null : messageIn(content.failure), headers, state)
  const failure = content?.failure ?? null
  if (failure === null) return null
  // A text alone, as one protocol sends it.
  if (typeof failure === 'string')
    return new ModelError('provider_error', readableMessage(failure, state.secrets))
  return frameFailure(failure, state)
}

type Fields = Pick<
  CallRecord,
  | 'status'
  | 'error'
  | 'error_type'
  | 'finish_reason'
  | 'response_id'
  | 'provider_request_id'
  | 'response_model'
  | 'tool_names'
  | 'prompt_tokens'
  | 'output_tokens'
  | 'cached_tokens'
  | 'reasoning_tokens'
  | 'tokens_estimated'
  | 'replyMark'
>

/** Returns the fields of the run that describe how the call ended, without the secrets: the keys of the call. */
export async function outcomeFields(
  requestFields: RequestFields,
  ended: Ended,
  failure: ModelError | null,
  { count, secrets }: { readonly count: CountTokens; readonly secrets: readonly string[] },
): Promise<Fields> {
  const { content, isParsed } = ended
  const clean = (text: string | null = null) => (text === null ? null : withoutSecrets(text, secrets))
  const isUnparsed = content !== null && failure === null && !(isParsed && content.isKnown)
  return {
    status: failure === null ? 'ok' : 'error',
    error: failure === null ? null : `${failure.type}: ${failure.message}`,
    error_type: failure?.type ?? null,
    finish_reason: clean(content?.finishReason)?.slice(0, 64) ?? null,
    response_id: clean(content?.responseId)?.slice(0, 256) ?? null,
    provider_request_id: clean(requestIdIn(ended.headers))?.slice(0, 256) ?? null,
    response_model: clean(content?.model)?.trim().slice(0, 128) || null,
    tool_names: content === null ? null : toolNamesOf(content, secrets),
    replyMark: isUnparsed ? 'unparsed' : null,
    ...(await usageOf(requestFields, content, failure, count)),
  }
}

/** Characters. A placeholder for a key, such as `ollama`, also occurs in ordinary text. */
const minSecret = 16

/** Replaces keys that a provider repeats in its reply. */
const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= minSecret)
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)

function toolNamesOf({ tools }: ReplyContent, secrets: readonly string[]): string[] | null {
  const names = [...tools.values()]
    .map(({ name }) =>
      withoutSecrets(name, secrets)
        .replace(/[,\p{Cc}]/gu, ' ')
        .trim()
        .slice(0, 128),
    )
    .filter((name) => name !== '')
  return names.length === 0 ? null : [...new Set(names)]
}

/**
 * Returns the provider's counts. Missing ones are estimated and marked. A call that failed before any output is not
 * estimated, because most likely it used no tokens.
 */
async function usageOf(
  { input }: RequestFields,
  content: ReplyContent | null,
  failure: ModelError | null,
  count: CountTokens,
): Promise<Counts> {
  const {
    promptTokens = null,
    outputTokens = null,
    cachedTokens = null,
    reasoningTokens = null,
  } = content?.usage ?? {}
  const isComplete = promptTokens !== null && outputTokens !== null
  const outputs = content === null ? [] : [outputOf(content) ?? '', content.hidden]
  const hasOutput = content !== null && (failure === null || outputs.some((text) => text !== ''))
  const [prompt = null, visible = null, hidden = null] =
    isComplete || !hasOutput ? [] : await count([promptText(input), ...outputs])
  const prompt_tokens = promptTokens ?? prompt
  const output_tokens = outputTokens ?? sumOfTokens(visible, hidden)
  return {
    prompt_tokens,
    output_tokens,
    cached_tokens: cachedTokens,
    reasoning_tokens: reasoningTokens,
    tokens_estimated: prompt_tokens !== promptTokens || output_tokens !== outputTokens,
  }
}

/** Returns the output as one text: JSON of text and tool calls if there are tool calls. */
function outputOf({ text, tools }: ReplyContent): string | null {
  if (tools.size === 0) return text === '' ? null : text
  const calls = [...tools.values()].map(({ id, name, arguments: given }, at) => ({
    id: id ?? `call_${at + 1}`,
    name,
    arguments: argumentsOf(given),
  }))
  return JSON.stringify({ text, tool_calls: calls })
}

/** Returns the arguments as JSON; as text if they are not complete, or nested too deeply to be written again. */
function argumentsOf(text: string): unknown {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return pathBeyondDepth(value) === null ? value : text
  } catch {
    return text
  }
}

/** Returns input and output for the run log, which stores them according to the workspace's capture setting. */
export function payloadOf(
  { input }: RequestFields,
  content: ReplyContent | null,
  served: ServedCall | null,
  secrets: readonly string[],
): Pick<CallRecord, 'input' | 'output' | 'redacted'> {
  const text = content === null ? null : outputOf(content)
  const output = text === null ? null : withoutSecrets(text, secrets).slice(0, maxOutputLength)
  return {
    input: Object.keys(input).length === 0 ? null : shortened(input),
    output,
    redacted:
      served === null
        ? null
        : { input: served.redactedInput, output: output === null ? null : served.redact(output) },
  }
}
