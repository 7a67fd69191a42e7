import type { RunReport } from '../../../contract/runs/run.ts'
import type { GenerateRequest } from '../../models/model.ts'
import type { Answer } from './answer.ts'
import { outputOf } from './payload.ts'

/** Returns the number of tokens of each text; null if it could not be counted. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly (number | null)[]>

type Counts = Pick<
  RunReport,
  'prompt_tokens' | 'output_tokens' | 'cached_tokens' | 'reasoning_tokens' | 'tokens_estimated'
>

/** Returns all text of a request that the model reads. */
const promptOf = ({ messages, tools, responseSchema }: GenerateRequest): string =>
  [
    ...messages.map(({ content }) => content),
    ...(tools.length > 0 ? [JSON.stringify(tools)] : []),
    ...(responseSchema === null ? [] : [JSON.stringify(responseSchema)]),
  ].join('\n')

/**
 * Returns the provider's counts. Missing counts are estimated and marked. A call that failed before any
 * output is not estimated, because most likely it used no tokens.
 */
export async function countUsage(
  count: CountTokens,
  request: GenerateRequest,
  answer: Answer,
): Promise<Counts> {
  const { usage } = answer
  const cached_tokens = usage?.cachedTokens ?? null
  const reasoning_tokens = usage?.reasoningTokens ?? null
  let prompt_tokens = usage?.promptTokens ?? null
  let output_tokens = usage?.outputTokens ?? null
  const isIncomplete = prompt_tokens === null || output_tokens === null
  const hasOutput = answer.failure === null || answer.ttftMs !== null
  if (isIncomplete && hasOutput) {
    const [prompt = null, output = null] = await count([promptOf(request), outputOf(answer) ?? ''])
    prompt_tokens ??= prompt
    output_tokens ??= output
  }
  const tokens_estimated = isIncomplete && hasOutput && (prompt_tokens ?? output_tokens) !== null
  return { prompt_tokens, output_tokens, cached_tokens, reasoning_tokens, tokens_estimated }
}
