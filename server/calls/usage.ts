import type { RunReport } from '../../contract/run.ts'
import type { GenerateRequest } from '../models/model.ts'
import type { Answer } from './answer.ts'
import { outputOf } from './payload.ts'

/** How many tokens each text has; null when that could not be found out. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly (number | null)[]>

type Counts = Pick<
  RunReport,
  'prompt_tokens' | 'output_tokens' | 'cached_tokens' | 'reasoning_tokens' | 'tokens_estimated'
>

/** Everything a model reads of a request. */
const sentOf = ({ messages, tools, responseSchema }: GenerateRequest): string =>
  [
    ...messages.map(({ content }) => content),
    ...(tools.length > 0 ? [JSON.stringify(tools)] : []),
    ...(responseSchema === null ? [] : [JSON.stringify(responseSchema)]),
  ].join('\n')

/**
 * The provider's counts; what it does not say is estimated and marked. A call that failed before anything came is not
 * guessed at: most likely nothing was used.
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
  const isGuessed = prompt_tokens === null || output_tokens === null
  const hasCome = answer.failure === null || answer.ttftMs !== null
  if (isGuessed && hasCome) {
    const [sent = null, came = null] = await count([sentOf(request), outputOf(answer) ?? ''])
    prompt_tokens ??= sent
    output_tokens ??= came
  }
  const tokens_estimated = isGuessed && hasCome && (prompt_tokens ?? output_tokens) !== null
  return { prompt_tokens, output_tokens, cached_tokens, reasoning_tokens, tokens_estimated }
}
