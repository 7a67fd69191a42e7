import {
  type Answer,
  amount,
  list,
  type ParsedRequest,
  record,
  schemaOf,
  sse,
  text,
  type Wire,
} from './wire.ts'

const route = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

const usage = ({ usage: counts }: Answer) =>
  counts && {
    promptTokenCount: counts.prompt,
    cachedContentTokenCount: counts.cached,
    candidatesTokenCount: counts.output - counts.reasoning,
    thoughtsTokenCount: counts.reasoning,
    totalTokenCount: counts.prompt + counts.output,
  }

const called = ({ toolCalls }: Answer) =>
  toolCalls.map(({ name, arguments: args }) => ({ functionCall: { name, args } }))
const said = (pieces: readonly string[]) => pieces.map((piece) => ({ text: piece }))
const reason = ({ isCut }: Answer): string => (isCut ? 'MAX_TOKENS' : 'STOP')

function reply(
  { model }: ParsedRequest,
  parts: readonly object[],
  finishReason?: string,
  counts: object | null = null,
) {
  return {
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
    ...(counts !== null && { usageMetadata: counts }),
    modelVersion: model,
    responseId: 'response-1',
  }
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

/** https://ai.google.dev/api/generate-content. `streamGenerateContent?alt=sse` streams. */
export const gemini: Wire = {
  name: 'gemini',
  streamType: 'text/event-stream',
  matches: (method, path) => method === 'POST' && route.test(path),
  key: (headers) => (typeof headers['x-goog-api-key'] === 'string' ? headers['x-goog-api-key'] : null),
  violation: (body) =>
    list(body['contents']).length === 0
      ? '* GenerateContentRequest.contents: contents is not specified'
      : null,
  read(body, path) {
    const [, model = '', method = ''] = route.exec(path) ?? []
    const config = record(body['generationConfig'])
    const declared = list(body['tools']).flatMap((tool) => list(tool['functionDeclarations']))
    const calling = record(record(body['toolConfig'])['functionCallingConfig'])
    return {
      model,
      stream: method === 'streamGenerateContent',
      prompt: text(list(body['contents']).findLast(({ role }) => role === 'user')?.['parts']),
      tools: declared.map((it) => ({ name: String(it['name']), schema: record(it['parameters']) })),
      mustCallTool: calling['mode'] === 'ANY',
      schema: schemaOf(config['responseSchema'] ?? config['responseJsonSchema']),
      maxTokens: amount(config['maxOutputTokens']),
    }
  },
  complete: (request, answer) =>
    reply(request, [...said(answer.pieces), ...called(answer)], reason(answer), usage(answer)),
  frames: (request, answer) => ({
    head: [],
    pieces: answer.pieces.map((piece) => sse(reply(request, said([piece])))),
    tail: [sse(reply(request, [...called(answer), ...said([''])], reason(answer), usage(answer)))],
  }),
  refusal: ({ status, message }) => ({
    error: { code: status, message, status: statuses[status] ?? 'UNKNOWN' },
  }),
  errorFrame: (message) => sse({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  brokenFrame: 'data: {"candidates":[{"content":{"parts"\n\n',
}
