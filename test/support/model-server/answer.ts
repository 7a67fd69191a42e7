import { exampleOf } from '../../../server/models/providers/mock/schema-example.ts'
import type { Plan } from './plan.ts'
import type { Answer, ParsedRequest } from './wire.ts'

const usage = { prompt: 11, output: 7, cached: 4, reasoning: 2 }

const pieces = (text: string): string[] => text.match(/\S+\s*/g) ?? []

/**
 * Default reply of a model: an echo, an instance of the schema, or a call of the first tool. A plan may
 * replace it.
 */
export function answerTo(request: ParsedRequest, plan: Plan): Answer {
  const [tool] = request.tools
  if (request.mustCallTool && tool !== undefined) {
    const call = { id: 'call_1', name: tool.name, arguments: exampleOf(tool.schema) }
    return { pieces: [], toolCalls: [call], isCut: false, usage, ...plan.answer }
  }
  const complete = pieces(
    request.schema === null ? `You said: ${request.prompt}` : JSON.stringify(exampleOf(request.schema)),
  )
  const isCut = request.maxTokens !== null && complete.length > request.maxTokens
  const sent = isCut ? complete.slice(0, request.maxTokens) : complete
  return { pieces: sent, toolCalls: [], isCut, usage, ...plan.answer }
}
