import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { ModelParams } from '../../../contract/models/models.ts'
import { type GenerateRequest, ModelError, type Usage } from '../model.ts'
import type { AdapterParts } from '../provider.ts'
import type { Part, Source } from '../source.ts'
import { aiSdkFailure } from './ai-sdk-failure.ts'
import { sdkMessages } from './ai-sdk-messages.ts'
import { createByteLimit } from './byte-limit.ts'
import { type Connection, connect } from './connection.ts'
import { type CallState, unfinished } from './failure.ts'
import { parsedArguments } from './tool-arguments.ts'

/** A provider that is called through the AI SDK. */
export type AiSdkProvider = {
  open(connection: Connection, request: GenerateRequest): LanguageModelV3
  /** Parameters that `open` handles because the SDK does not support them. */
  readonly ownParams?: readonly (keyof ModelParams)[]
  /** Options of the SDK that are specific to this provider. */
  readonly options?: (request: GenerateRequest) => LanguageModelV3CallOptions['providerOptions']
}

/**
 * Returns a source that calls a provider through the AI SDK's model interface. The SDK's own loop is not
 * used: retries, time limits and steps are the service's.
 */
export function aiSdkSource(
  provider: AiSdkProvider,
  { settings, fetch }: Pick<AdapterParts, 'settings' | 'fetch'>,
): Source {
  return async function* (request, signal) {
    const secrets: string[] = []
    const state: CallState = { signal, secrets }
    const limit = createByteLimit(fetch)
    try {
      const connection = await connect(settings(), limit.fetch)
      if (connection.key !== null) secrets.push(connection.key)
      const model = provider.open(connection, request)
      const { stream } = await model.doStream(callOptions(provider, request, signal))
      let isBegun = false
      let isFinished = false
      for await (const part of stream) {
        limit.reset()
        const converted = partOf(part, state, isBegun)
        if (converted === null) continue
        isBegun = true
        isFinished ||= converted.type === 'end'
        yield converted
      }
      if (!isFinished) throw unfinished(isBegun)
    } catch (error) {
      throw error instanceof ModelError && !signal.aborted ? error : aiSdkFailure(error, state)
    }
  }
}

function callOptions(
  provider: AiSdkProvider,
  request: GenerateRequest,
  signal: AbortSignal,
): LanguageModelV3CallOptions {
  const { messages, tools, responseSchema, isJson } = request
  const params = Object.fromEntries(
    Object.entries(request.params).filter(([name]) => !provider.ownParams?.some((param) => param === name)),
  ) as ModelParams
  const providerOptions = provider.options?.(request)
  return {
    prompt: sdkMessages(messages),
    ...(params.temperature !== undefined && { temperature: params.temperature }),
    ...(params.top_p !== undefined && { topP: params.top_p }),
    ...(params.top_k !== undefined && { topK: params.top_k }),
    ...(params.max_output_tokens !== undefined && { maxOutputTokens: params.max_output_tokens }),
    ...(params.stop !== undefined && { stopSequences: [...params.stop] }),
    ...(params.seed !== undefined && { seed: params.seed }),
    ...(params.frequency_penalty !== undefined && { frequencyPenalty: params.frequency_penalty }),
    ...(params.presence_penalty !== undefined && { presencePenalty: params.presence_penalty }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        ...(description !== '' && { description }),
        inputSchema: parameters,
      })),
      toolChoice: { type: params.tool_choice ?? 'auto' },
    }),
    ...(responseSchema !== null && {
      responseFormat: { type: 'json', schema: responseSchema, name: 'response' },
    }),
    ...(responseSchema === null && isJson === true && { responseFormat: { type: 'json' } }),
    ...(providerOptions !== undefined && { providerOptions }),
    // Raw chunks include frames without content for us. They distinguish a slow response from a stalled one.
    includeRawChunks: true,
    abortSignal: signal,
  }
}

function partOf(part: LanguageModelV3StreamPart, state: CallState, isBegun: boolean): Part | null {
  switch (part.type) {
    case 'stream-start': {
      const unsupportedSetting = part.warnings.find((warning) => warning.type === 'unsupported')
      if (unsupportedSetting !== undefined) throw unsupported(unsupportedSetting)
      return null
    }
    case 'raw':
      return { type: 'activity' }
    case 'text-delta':
      return part.delta === '' ? null : { type: 'delta', text: part.delta }
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part
      return { type: 'tool_call', call: { id, name, arguments: parsedArguments(input) } }
    }
    case 'error':
      throw aiSdkFailure(part.error, state)
    case 'finish': {
      const { unified, raw } = part.finishReason
      if (raw === undefined) throw unfinished(isBegun)
      if (unified === 'error')
        throw new ModelError('provider_error', `The model stopped with an error: ${raw}`)
      return { type: 'end', finishReason: unified.replaceAll('-', '_'), usage: usageOf(part.usage) }
    }
    default:
      return null
  }
}

/**
 * Returns the error for an unsupported setting. The SDK would ignore the setting; here the call is refused.
 */
function unsupported({ feature, details }: { feature: string; details?: string | undefined }): ModelError {
  const name = feature.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return new ModelError('bad_request', `This model does not support ${name}${details ? `: ${details}` : ''}`)
}

type SdkUsage = Extract<LanguageModelV3StreamPart, { type: 'finish' }>['usage']

function usageOf({ inputTokens, outputTokens }: SdkUsage): Usage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null
  return {
    promptTokens: inputTokens.total ?? null,
    outputTokens: outputTokens.total ?? null,
    cachedTokens: inputTokens.cacheRead ?? null,
    reasoningTokens: outputTokens.reasoning ?? null,
  }
}
