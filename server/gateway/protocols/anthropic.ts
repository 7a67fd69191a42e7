import { gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { count, type Json, pick, record, records, text } from './json.ts'
import type { Protocol } from './protocol.ts'
import type { ReplyContent } from './reply-content.ts'

const inputFields = ['system', 'messages', 'tools', 'output_config', 'output_format']

/** The protocol counts tokens of the cache apart from the input; the run log counts them as part of the prompt. */
function readUsage(value: unknown, into: ReplyContent): void {
  // The end of a stream need not repeat the counts of its start.
  const given = Object.entries(record(value)).filter(([, each]) => each !== null)
  into.counts = { ...into.counts, ...Object.fromEntries(given) }
  const usage = into.counts
  const input = count(usage['input_tokens'])
  const cached = count(usage['cache_read_input_tokens'])
  const created = count(usage['cache_creation_input_tokens'])
  into.addUsage({
    promptTokens: input === null ? null : input + (cached ?? 0) + (created ?? 0),
    outputTokens: count(usage['output_tokens']),
    cachedTokens: cached,
    reasoningTokens: count(record(usage['output_tokens_details'])['thinking_tokens']),
  })
}

const toolBlocks: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use'])

function readBlock(block: Json, at: number, into: ReplyContent): void {
  if (block['type'] === 'text') into.addText(block['text'])
  if (block['type'] === 'thinking') into.addHidden(block['thinking'])
  if (!toolBlocks.has(block['type'])) return
  // In a stream the arguments follow as text.
  const given = Object.keys(record(block['input'])).length === 0 ? undefined : block['input']
  into.addTool(at, { id: block['id'], name: block['name'], arguments: given })
}

function readMessage(message: Json, into: ReplyContent): void {
  into.responseId = text(message['id']) ?? into.responseId
  into.model = text(message['model']) ?? into.model
  records(message['content']).forEach((block, at) => {
    readBlock(block, at, into)
  })
  into.finishReason = text(message['stop_reason']) ?? into.finishReason
  readUsage(message['usage'], into)
}

/** The start of a stream counts an output of a token or two. The end replaces it, but a reply that is cut off has none. */
function readStart(message: Json, into: ReplyContent): void {
  const { output_tokens: _, ...usage } = record(message['usage'])
  readMessage({ ...message, usage }, into)
}

function readDelta(index: number, delta: Json, into: ReplyContent): void {
  if (delta['type'] === 'text_delta') into.addText(delta['text'])
  if (delta['type'] === 'thinking_delta') into.addHidden(delta['thinking'])
  if (delta['type'] === 'input_json_delta') into.addTool(index, { arguments: delta['partial_json'] })
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

/** https://docs.anthropic.com/en/api/messages and /en/api/messages-streaming. */
export const anthropicProtocol: Protocol = {
  ...gatewayProtocols.anthropic,
  providerPath: '',
  readRequest: (body) => ({
    model: text(body['model']),
    endUser: text(record(body['metadata'])['user_id']),
    params: body,
    input: pick(body, inputFields),
  }),
  readReply(value, into) {
    const type = text(value['type'])
    const index = count(value['index']) ?? 0
    if (type === 'error') into.failure = value['error']
    if (type !== null) into.isKnown = true
    if (type === 'message') readMessage(value, into)
    if (type === 'message_start') readStart(record(value['message']), into)
    if (type === 'content_block_start') readBlock(record(value['content_block']), index, into)
    if (type === 'content_block_delta') readDelta(index, record(value['delta']), into)
    if (type !== 'message_delta') return
    into.finishReason = text(record(value['delta'])['stop_reason']) ?? into.finishReason
    readUsage(value['usage'], into)
  },
  errorBody: ({ status, message, requestId }) => ({
    type: 'error',
    error: {
      type: errorTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
      message,
    },
    request_id: requestId,
  }),
}
