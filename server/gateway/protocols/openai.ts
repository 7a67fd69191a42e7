import { gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { count, type Json, pick, record, records, text } from './json.ts'
import type { Protocol } from './protocol.ts'
import type { ReplyContent } from './reply-content.ts'

const inputFields = ['instructions', 'messages', 'input', 'tools', 'response_format', 'text']

/** Chat Completions and Embeddings name the counts `prompt_` and `completion_`, Responses `input_` and `output_`. */
function readUsage(value: unknown, into: ReplyContent, isEmbedding: boolean): void {
  if (typeof value !== 'object' || value === null) return
  const usage = record(value)
  const promptDetails = record(usage['prompt_tokens_details'] ?? usage['input_tokens_details'])
  const outputDetails = record(usage['completion_tokens_details'] ?? usage['output_tokens_details'])
  into.addUsage({
    promptTokens: count(usage['prompt_tokens'] ?? usage['input_tokens']),
    outputTokens: isEmbedding ? 0 : count(usage['completion_tokens'] ?? usage['output_tokens']),
    cachedTokens: count(promptDetails['cached_tokens']),
    reasoningTokens: count(outputDetails['reasoning_tokens']),
  })
}

function readChoice(choice: Json, into: ReplyContent): void {
  const part = record(choice['message'] ?? choice['delta'])
  // Further choices of one request are alternatives; the first is logged.
  if ((count(choice['index']) ?? 0) > 0) {
    into.addHidden(part['content'])
    into.addHidden(part['reasoning_content'] ?? part['reasoning'])
    return
  }
  into.addText(part['content'])
  into.addText(part['refusal'])
  into.addHidden(part['reasoning_content'] ?? part['reasoning'])
  records(part['tool_calls']).forEach((call, at) => {
    // A custom tool has a text as its input.
    const called = record(call['function'] ?? call['custom'])
    const { id } = call
    const given = called['arguments'] ?? called['input']
    into.addTool(count(call['index']) ?? at, { id, name: called['name'], arguments: given })
  })
  // The call of a function in the form before `tool_calls`, which has no id.
  const { name, arguments: given } = record(part['function_call'])
  if (name !== undefined || given !== undefined) into.addTool('function_call', { name, arguments: given })
  into.finishReason = text(choice['finish_reason']) ?? into.finishReason
}

/** Adds the call of a tool. A custom tool has a text as its input, and a built-in one its name in the type of the item. */
function readCall(item: Json, into: ReplyContent): void {
  const builtIn = /^(\w+)_call$/.exec(String(item['type']))?.[1]
  if (builtIn === undefined) return
  const { call_id, name = builtIn, action, operation, code, queries } = item
  const id = call_id ?? item['id']
  const given = item['arguments'] ?? item['input'] ?? action ?? operation ?? code ?? queries
  into.addTool(String(id), { id, name, arguments: given ?? undefined })
}

function readItem(item: Json, into: ReplyContent, isTextKnown: boolean): void {
  readCall(item, into)
  if (item['type'] !== 'message' || isTextKnown) return
  for (const part of records(item['content'])) into.addText(part['text'] ?? part['refusal'])
}

/** Reads a whole response: the reply, or the last event of a stream, whose text came before. */
function readResponse(response: Json, into: ReplyContent): void {
  into.isKnown = true
  into.responseId = text(response['id']) ?? into.responseId
  into.model = text(response['model']) ?? into.model
  const isTextKnown = into.text !== ''
  for (const item of records(response['output'])) readItem(item, into, isTextKnown)
  readUsage(response['usage'], into, false)
  if (response['status'] === 'in_progress' || response['status'] === 'queued') return
  into.finishReason = text(record(response['incomplete_details'])['reason']) ?? text(response['status'])
  if (response['error'] !== null && response['error'] !== undefined) into.failure = response['error']
}

const hiddenDelta =
  /^response\.(?:reasoning|function_call_arguments|custom_tool_call_input|mcp_call_arguments)/

function readResponseEvent(event: Json, type: string, into: ReplyContent): void {
  into.isKnown = true
  if (type === 'error') into.failure = event['error'] ?? event
  else if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
    into.addText(event['delta'])
  else if (hiddenDelta.test(type)) into.addHidden(event['delta'])
  if (event['response'] !== undefined) readResponse(record(event['response']), into)
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}

/** https://platform.openai.com/docs/api-reference: Chat Completions, Responses, Embeddings. */
export const openaiProtocol: Protocol = {
  ...gatewayProtocols.openai,
  providerPath: '',
  readRequest: (body) => ({
    model: text(body['model']),
    endUser: text(body['safety_identifier']) ?? text(body['user']),
    params: { ...body, ...pick(record(body['reasoning']), ['effort']) },
    input: pick(body, inputFields),
  }),
  readReply(value, into, operation) {
    const type = text(value['type'])
    if (type !== null && value['object'] === undefined) return readResponseEvent(value, type, into)
    if (value['object'] === 'response') return readResponse(value, into)
    if (value['error'] !== undefined && value['error'] !== null) {
      into.failure = value['error']
      return
    }
    if (Array.isArray(value['choices']) || Array.isArray(value['data'])) into.isKnown = true
    into.responseId = text(value['id']) ?? into.responseId
    into.model = text(value['model']) ?? into.model
    for (const choice of records(value['choices'])) readChoice(choice, into)
    readUsage(value['usage'], into, operation === 'embeddings')
  },
  errorBody: ({ status, code, message }) => ({
    error: {
      message,
      type: errorTypes[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: null,
      code,
    },
  }),
}
