import { type Json, record, records } from '../protocols/json.ts'
import { openaiProtocol } from '../protocols/openai.ts'
import { badRequest, choiceOf, formatOf, messageOf, paramsOf, requiredModel, toolOf } from './read-request.ts'
import type { OfflineRequest, OfflineRoute, Output, ReplyHead } from './route.ts'

function read(body: Json): OfflineRequest {
  const model = requiredModel(body)
  const messages = records(body['messages']).map(messageOf)
  if (messages.length === 0) throw badRequest('messages must have at least one message')
  if ((body['n'] ?? 1) !== 1) throw badRequest('n must be 1: there is one choice offline')
  const functions = records(body['tools']).filter(({ type }) => type === 'function')
  const declared = functions.map((tool) => toolOf(record(tool['function'])))
  const { tools, params } = choiceOf(body['tool_choice'], declared)
  const format = record(body['response_format'])
  const limit = body['max_completion_tokens'] ?? body['max_tokens']
  return {
    generate: {
      model,
      messages,
      tools,
      params: { ...paramsOf(body, limit), ...params },
      ...formatOf(format, record(format['json_schema'])['schema']),
    },
    isStream: body['stream'] === true,
    hasUsage: record(body['stream_options'])['include_usage'] === true,
  }
}

const baseOf = ({ id, model, created }: ReplyHead, object: string): Json => ({
  id: `chatcmpl-${id}`,
  object,
  created,
  model,
  system_fingerprint: null,
})

const usageOf = ({ usage: { prompt, output } }: Output): Json => ({
  prompt_tokens: prompt,
  completion_tokens: output,
  total_tokens: prompt + output,
})

const callOf = ({ id, name, arguments: given }: Output['calls'][number]): Json => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
})

const event = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`

/** Chat Completions, complete and as a stream. */
export const chatRoute: OfflineRoute = {
  read,
  complete: (head, output) => ({
    ...baseOf(head, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: output.calls.length > 0 && output.text === '' ? null : output.text,
          refusal: null,
          ...(output.calls.length > 0 && { tool_calls: output.calls.map(callOf) }),
        },
        logprobs: null,
        finish_reason: output.finishReason,
      },
    ],
    usage: usageOf(output),
  }),
  createWriter(head, { hasUsage }) {
    const base = baseOf(head, 'chat.completion.chunk')
    const counts = (usage: Json | null): Json => (hasUsage ? { usage } : {})
    const chunk = (delta: Json, reason: string | null = null): string =>
      event({
        ...base,
        choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
        ...counts(null),
      })
    let calls = 0
    return {
      begin: () => chunk({ role: 'assistant', content: '', refusal: null }),
      text: (content) => chunk({ content }),
      call: (call) => chunk({ tool_calls: [{ index: calls++, ...callOf(call) }] }),
      end: (output) =>
        [
          chunk({}, output.finishReason),
          hasUsage ? event({ ...base, choices: [], ...counts(usageOf(output)) }) : '',
          'data: [DONE]\n\n',
        ].join(''),
      fail: (message) =>
        event(openaiProtocol.errorBody({ status: 500, code: 'provider_error', message, requestId: head.id })),
    }
  },
}
