import { openaiChat } from './openai-chat.ts'
import {
  type Answer,
  amount,
  bearer,
  type Json,
  lastUser,
  list,
  type ParsedRequest,
  record,
  schemaOf,
  sse,
  type Wire,
} from './wire.ts'

const items = ({ pieces, toolCalls }: Answer): Json[] => [
  ...(pieces.length === 0
    ? []
    : [
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] }],
        },
      ]),
  ...toolCalls.map(({ id, name, arguments: given }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(given),
    status: 'completed',
  })),
]

const response = ({ model }: ParsedRequest, answer: Answer, isDone: boolean): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_767_225_600,
  status: !isDone ? 'in_progress' : answer.isCut ? 'incomplete' : 'completed',
  error: null,
  incomplete_details: isDone && answer.isCut ? { reason: 'max_output_tokens' } : null,
  instructions: null,
  model,
  output: isDone ? items(answer) : [],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage:
    isDone && answer.usage
      ? {
          input_tokens: answer.usage.prompt,
          input_tokens_details: { cached_tokens: answer.usage.cached },
          output_tokens: answer.usage.output,
          output_tokens_details: { reasoning_tokens: answer.usage.reasoning },
          total_tokens: answer.usage.prompt + answer.usage.output,
        }
      : null,
})

/** https://platform.openai.com/docs/api-reference/responses, and "Streaming events". */
export const openaiResponses: Wire = {
  ...openaiChat,
  name: 'openai-responses',
  matches: (method, path) => method === 'POST' && path === '/v1/responses',
  key: bearer,
  violation(body) {
    if (typeof body['model'] !== 'string') return "Missing required parameter: 'model'."
    return body['input'] === undefined ? "Missing required parameter: 'input'." : null
  },
  read(body) {
    const format = record(record(body['text'])['format'])
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      prompt: typeof body['input'] === 'string' ? body['input'] : lastUser(body['input']),
      tools: list(body['tools']).map((it) => ({
        name: String(it['name']),
        schema: record(it['parameters']),
      })),
      mustCallTool: body['tool_choice'] === 'required',
      schema: format['type'] === 'json_schema' ? schemaOf(format['schema']) : null,
      maxTokens: amount(body['max_output_tokens']),
    }
  },
  complete: (request, answer) => response(request, answer, true),
  frames(request, answer) {
    let number = 0
    const event = (type: string, data: Json): string =>
      sse({ type, sequence_number: number++, ...data }, type)
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const open = { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] }
    const part = (said: string) => ({ type: 'output_text', text: said, annotations: [], logprobs: [] })
    const hasText = answer.pieces.length > 0
    const said = answer.pieces.join('')
    const head = [
      event('response.created', { response: response(request, answer, false) }),
      event('response.in_progress', { response: response(request, answer, false) }),
      ...(hasText
        ? [
            event('response.output_item.added', { output_index: 0, item: open }),
            event('response.content_part.added', { ...at, part: part('') }),
          ]
        : []),
    ]
    const pieces = answer.pieces.map((delta) =>
      event('response.output_text.delta', { ...at, delta, logprobs: [] }),
    )
    const first = hasText ? 1 : 0
    const done = items(answer)
    const textEnd = hasText
      ? [
          event('response.output_text.done', { ...at, text: said, logprobs: [] }),
          event('response.content_part.done', { ...at, part: part(said) }),
          event('response.output_item.done', { output_index: 0, item: done[0] }),
        ]
      : []
    const called = done.slice(first).flatMap((item, index) => {
      const place = { item_id: item['id'], output_index: first + index }
      return [
        event('response.output_item.added', {
          output_index: first + index,
          item: { ...item, arguments: '', status: 'in_progress' },
        }),
        event('response.function_call_arguments.delta', { ...place, delta: item['arguments'] }),
        event('response.function_call_arguments.done', { ...place, arguments: item['arguments'] }),
        event('response.output_item.done', { output_index: first + index, item }),
      ]
    })
    const end = answer.isCut ? 'response.incomplete' : 'response.completed'
    return {
      head,
      pieces,
      tail: [...textEnd, ...called, event(end, { response: response(request, answer, true) })],
    }
  },
  errorFrame: (message) =>
    sse({ type: 'error', sequence_number: 9, code: 'server_error', message, param: null }, 'error'),
  brokenFrame: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta"\n\n',
}
