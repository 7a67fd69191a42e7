import {
  type Answer,
  amount,
  bearer,
  lastUser,
  list,
  type ParsedRequest,
  record,
  schemaOf,
  sse,
  type Wire,
} from './wire.ts'

const reason = ({ toolCalls, isCut }: Answer): string =>
  toolCalls.length > 0 ? 'tool_use' : isCut ? 'max_tokens' : 'end_turn'

/** This protocol counts cached tokens separately, not as part of the input. */
const input = ({ usage }: Answer) => ({
  input_tokens: (usage?.prompt ?? 0) - (usage?.cached ?? 0),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage?.cached ?? 0,
})

const message = ({ model }: ParsedRequest) => ({ id: 'msg_1', type: 'message', role: 'assistant', model })

const frame = (data: { readonly type: string } & Record<string, unknown>): string => sse(data, data.type)

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** https://docs.anthropic.com/en/api/messages and /en/api/messages-streaming. */
export const anthropic: Wire = {
  name: 'anthropic',
  streamType: 'text/event-stream; charset=utf-8',
  matches: (method, path) => method === 'POST' && path === '/v1/messages',
  // Both headers are accepted; the official client uses the second since 1.0.
  key: (headers) => (typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : bearer(headers)),
  violation(body, headers) {
    if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required'
    if (typeof body['model'] !== 'string') return 'model: Field required'
    if (amount(body['max_tokens']) === null) return 'max_tokens: Field required'
    return list(body['messages']).length === 0 ? 'messages: at least one message is required' : null
  },
  read(body) {
    const format = record(record(body['output_config'])['format'] ?? body['output_format'])
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      prompt: lastUser(body['messages']),
      tools: list(body['tools']).map((it) => ({
        name: String(it['name']),
        schema: record(it['input_schema']),
      })),
      mustCallTool: ['any', 'tool'].includes(String(record(body['tool_choice'])['type'])),
      schema: format['type'] === 'json_schema' ? schemaOf(format['schema']) : null,
      maxTokens: amount(body['max_tokens']),
    }
  },
  complete: (request, answer) => ({
    ...message(request),
    content: [
      ...(answer.pieces.length === 0 ? [] : [{ type: 'text', text: answer.pieces.join('') }]),
      ...answer.toolCalls.map(({ id, name, arguments: given }) => ({
        type: 'tool_use',
        id,
        name,
        input: given,
      })),
    ],
    stop_reason: reason(answer),
    stop_sequence: null,
    usage: { ...input(answer), output_tokens: answer.usage?.output ?? 0 },
  }),
  frames(request, answer) {
    const hasText = answer.pieces.length > 0
    const first = hasText ? 1 : 0
    const start = { ...message(request), content: [], stop_reason: null, stop_sequence: null }
    const calls = answer.toolCalls.flatMap(({ id, name, arguments: given }, at) => {
      const index = first + at
      const written = JSON.stringify(given)
      const half = Math.ceil(written.length / 2)
      const part = (partial_json: string) =>
        frame({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })
      return [
        frame({
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id, name, input: {} },
        }),
        part(written.slice(0, half)),
        part(written.slice(half)),
        frame({ type: 'content_block_stop', index }),
      ]
    })
    return {
      head: [
        frame({
          type: 'message_start',
          message: { ...start, usage: { ...input(answer), output_tokens: 1 } },
        }),
        ...(hasText
          ? [frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })]
          : []),
        frame({ type: 'ping' }),
      ],
      pieces: answer.pieces.map((piece) =>
        frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }),
      ),
      tail: [
        ...(hasText ? [frame({ type: 'content_block_stop', index: 0 })] : []),
        ...calls,
        frame({
          type: 'message_delta',
          delta: { stop_reason: reason(answer), stop_sequence: null },
          usage: { ...input(answer), output_tokens: answer.usage?.output ?? 0 },
        }),
        frame({ type: 'message_stop' }),
      ],
    }
  },
  refusal: ({ status, message: said }) => ({
    type: 'error',
    error: { type: types[status] ?? 'api_error', message: said },
    request_id: 'req_1',
  }),
  errorFrame: (said) => frame({ type: 'error', error: { type: 'overloaded_error', message: said } }),
  brokenFrame: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta"\n\n',
}
