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

const finish = ({ toolCalls, isCut }: Answer): string =>
  toolCalls.length > 0 ? 'tool_calls' : isCut ? 'length' : 'stop'

const usage = ({ usage: counts }: Answer) =>
  counts && {
    prompt_tokens: counts.prompt,
    completion_tokens: counts.output,
    total_tokens: counts.prompt + counts.output,
    prompt_tokens_details: { cached_tokens: counts.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: counts.reasoning, audio_tokens: 0 },
  }

const calls = ({ toolCalls }: Answer) =>
  toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))

const base = ({ model }: ParsedRequest, object: string) => ({
  id: 'chatcmpl-1',
  object,
  created: 1_767_225_600,
  model,
  system_fingerprint: 'fp_1',
})

/** https://platform.openai.com/docs/api-reference/chat, "Create chat completion" and "Streaming". */
export const openaiChat: Wire = {
  name: 'openai-chat',
  streamType: 'text/event-stream; charset=utf-8',
  matches: (method, path) => method === 'POST' && path === '/v1/chat/completions',
  key: bearer,
  violation(body) {
    if (typeof body['model'] !== 'string') return 'you must provide a model parameter'
    return list(body['messages']).length === 0 ? "Missing required parameter: 'messages'." : null
  },
  read(body) {
    const tools = list(body['tools']).map((tool) => record(tool['function']))
    const format = record(body['response_format'])
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      prompt: lastUser(body['messages']),
      tools: tools.map((tool) => ({ name: String(tool['name']), schema: record(tool['parameters']) })),
      mustCallTool: body['tool_choice'] === 'required',
      schema: format['type'] === 'json_schema' ? schemaOf(record(format['json_schema'])['schema']) : null,
      maxTokens: amount(body['max_completion_tokens']) ?? amount(body['max_tokens']),
    }
  },
  complete: (request, answer) => ({
    ...base(request, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.pieces.length === 0 ? null : answer.pieces.join(''),
          refusal: null,
          ...(answer.toolCalls.length > 0 && { tool_calls: calls(answer) }),
        },
        logprobs: null,
        finish_reason: finish(answer),
      },
    ],
    usage: usage(answer),
  }),
  frames(request, answer) {
    const chunk = (delta: object, reason: string | null = null) =>
      sse({
        ...base(request, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
        usage: null,
      })
    // Arguments are sent in two parts, as a model streams them.
    const called = calls(answer).flatMap((call, index) => {
      const half = Math.ceil(call.function.arguments.length / 2)
      const part = (given: object) => chunk({ tool_calls: [{ index, ...given }] })
      return [
        part({ ...call, function: { name: call.function.name, arguments: '' } }),
        part({ function: { arguments: call.function.arguments.slice(0, half) } }),
        part({ function: { arguments: call.function.arguments.slice(half) } }),
      ]
    })
    const counts = { ...base(request, 'chat.completion.chunk'), choices: [], usage: usage(answer) }
    return {
      head: [chunk({ role: 'assistant', content: '', refusal: null })],
      pieces: answer.pieces.map((content) => chunk({ content })),
      tail: [
        ...called,
        chunk({}, finish(answer)),
        ...(answer.usage === null ? [] : [sse(counts)]),
        'data: [DONE]\n\n',
      ],
    }
  },
  refusal: ({ status, message }) => ({
    error: {
      message,
      type: status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error',
      param: null,
      code: status === 401 ? 'invalid_api_key' : null,
    },
  }),
  errorFrame: (message) => sse({ error: { message, type: 'server_error', param: null, code: null } }),
  brokenFrame: 'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content"\n\n',
}
