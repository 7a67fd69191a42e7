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
  type Wire,
} from './wire.ts'

const line = (value: Json): string => `${JSON.stringify(value)}\n`
const base = ({ model }: ParsedRequest): Json => ({ model, created_at: '2026-01-01T00:00:00.000000Z' })
const calls = ({ toolCalls }: Answer) =>
  toolCalls.map(({ name, arguments: given }) => ({ function: { name, arguments: given } }))

const end = ({ isCut, usage }: Answer): Json => ({
  done: true,
  done_reason: isCut ? 'length' : 'stop',
  total_duration: 5_000_000,
  load_duration: 1_000_000,
  ...(usage && {
    prompt_eval_count: usage.prompt,
    prompt_eval_duration: 2_000_000,
    eval_count: usage.output,
    eval_duration: 2_000_000,
  }),
})

/**
 * https://github.com/ollama/ollama/blob/main/docs/api.md, "Generate a chat completion". Streams by default.
 */
export const ollama: Wire = {
  name: 'ollama',
  streamType: 'application/x-ndjson',
  matches: (method, path) => method === 'POST' && path === '/api/chat',
  key: bearer,
  violation: (body) => (typeof body['model'] !== 'string' ? 'model is required' : null),
  read(body) {
    const tools = list(body['tools']).map((tool) => record(tool['function']))
    return {
      model: String(body['model']),
      stream: body['stream'] !== false,
      prompt: lastUser(body['messages']),
      tools: tools.map((tool) => ({ name: String(tool['name']), schema: record(tool['parameters']) })),
      // The protocol has no such option; a plan can make the model call a tool.
      mustCallTool: false,
      schema: schemaOf(body['format']),
      maxTokens: amount(record(body['options'])['num_predict']),
    }
  },
  complete: (request, answer) => ({
    ...base(request),
    message: {
      role: 'assistant',
      content: answer.pieces.join(''),
      ...(answer.toolCalls.length > 0 && { tool_calls: calls(answer) }),
    },
    ...end(answer),
  }),
  frames: (request, answer) => ({
    head: [],
    pieces: answer.pieces.map((content) =>
      line({ ...base(request), message: { role: 'assistant', content }, done: false }),
    ),
    tail: [
      ...(answer.toolCalls.length > 0
        ? [
            line({
              ...base(request),
              message: { role: 'assistant', content: '', tool_calls: calls(answer) },
              done: false,
            }),
          ]
        : []),
      line({ ...base(request), message: { role: 'assistant', content: '' }, ...end(answer) }),
    ],
  }),
  refusal: ({ message }) => ({ error: message }),
  errorFrame: (message) => line({ error: message }),
  brokenFrame: '{"model":"x","message":{"role":"assistant","cont\n',
}
