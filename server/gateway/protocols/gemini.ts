import { gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { sumOfTokens } from '../../models/model.ts'
import { count, type Json, pick, record, records, text } from './json.ts'
import type { Protocol } from './protocol.ts'
import type { ReplyContent } from './reply-content.ts'

const inputFields = ['systemInstruction', 'system_instruction', 'contents', 'content', 'requests', 'tools']

/**
 * The protocol counts thoughts apart from candidates, and results of Google's own tools apart from the prompt. The run
 * log counts thoughts as part of the output, and results of tools as part of the prompt.
 */
function readUsage(value: unknown, into: ReplyContent): void {
  const usage = record(value)
  const thoughts = count(usage['thoughtsTokenCount'])
  into.addUsage({
    promptTokens: sumOfTokens(count(usage['promptTokenCount']), count(usage['toolUsePromptTokenCount'])),
    outputTokens: sumOfTokens(count(usage['candidatesTokenCount']), thoughts),
    cachedTokens: count(usage['cachedContentTokenCount']),
    reasoningTokens: thoughts,
  })
}

function readPart(part: Json, into: ReplyContent): void {
  if (part['thought'] === true) into.addHidden(part['text'])
  else into.addText(part['text'])
  if (part['functionCall'] === undefined) return
  const { id, name, args } = record(part['functionCall'])
  into.addTool(into.tools.size, { id, name, arguments: args })
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** https://ai.google.dev/api/generate-content and /api/embeddings. */
export const geminiProtocol: Protocol = {
  ...gatewayProtocols.gemini,
  providerPath: '',
  readRequest: (body, pathModel) => ({
    model: pathModel,
    endUser: null,
    params: record(body['generationConfig'] ?? body['generation_config']),
    input: pick(body, inputFields),
  }),
  readReply(value, into, operation) {
    if (value['error'] !== undefined) {
      into.failure = value['error']
      return
    }
    const known = ['candidates', 'promptFeedback', 'usageMetadata', 'embedding', 'embeddings']
    if (known.some((name) => value[name] !== undefined)) into.isKnown = true
    into.responseId = text(value['responseId']) ?? into.responseId
    into.model = text(value['modelVersion']) ?? into.model
    const [candidate = {}] = records(value['candidates'])
    for (const part of records(record(candidate['content'])['parts'])) readPart(part, into)
    const blocked = text(record(value['promptFeedback'])['blockReason'])
    into.finishReason = text(candidate['finishReason']) ?? blocked ?? into.finishReason
    readUsage(value['usageMetadata'], into)
    if (operation === 'embeddings') into.addUsage({ outputTokens: 0 })
  },
  errorBody: ({ status, message }) => ({
    error: { code: status, message, status: statuses[status] ?? 'UNKNOWN' },
  }),
}
