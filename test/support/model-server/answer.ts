import { exampleOf } from '../../../server/models/providers/mock/schema-example.ts'
import type { Plan } from './plan.ts'
import type { Answer, Ask } from './wire.ts'

export const usage = { prompt: 11, output: 7, cached: 4, reasoning: 2 }

const pieces = (text: string): string[] => text.match(/\S+\s*/g) ?? []

/**
 * Default reply of a model: an echo, an instance of the schema, or a call of the first tool. A plan may
 * replace it.
 */
export function answerTo(ask: Ask, plan: Plan): Answer {
  const [tool] = ask.tools
  if (ask.mustCallTool && tool !== undefined) {
    const call = { id: 'call_1', name: tool.name, arguments: exampleOf(tool.schema) }
    return { pieces: [], toolCalls: [call], isCut: false, usage, ...plan.answer }
  }
  const whole =
    ask.schema === null ? pieces(`You said: ${ask.prompt}`) : pieces(JSON.stringify(exampleOf(ask.schema)))
  const isCut = ask.maxTokens !== null && whole.length > ask.maxTokens
  const said = isCut ? whole.slice(0, ask.maxTokens) : whole
  return { pieces: said, toolCalls: [], isCut, usage, ...plan.answer }
}
