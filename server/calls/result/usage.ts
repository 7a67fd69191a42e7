import type { RunReport } from '../../../contract/runs/run.ts'
import type { GenerateRequest } from '../../models/model.ts'
import { outputOf } from './payload.ts'
import type { ModelResponse } from './response.ts'

/** Returns the number of tokens of each text; null if it could not be counted. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly (number | null)[]>

/** The token counts of a run. */
export type Counts = Pick<
  RunReport,
  'prompt_tokens' | 'output_tokens' | 'cached_tokens' | 'reasoning_tokens' | 'tokens_estimated'
>

/** Returns all text of a request that the model reads. */
const promptOf = ({ messages, tools, responseSchema }: GenerateRequest): string =>
  [
    ...messages.map(({ content }) => content),
    ...messages.flatMap((message) =>
      message.role === 'assistant' && message.tool_calls ? [JSON.stringify(message.tool_calls)] : [],
    ),
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
  response: ModelResponse,
): Promise<Counts> {
  const { usage } = response
  const cached_tokens = usage?.cachedTokens ?? null
  const reasoning_tokens = usage?.reasoningTokens ?? null
  const reported = { prompt: usage?.promptTokens ?? null, output: usage?.outputTokens ?? null }
  const isComplete = reported.prompt !== null && reported.output !== null
  const hasOutput = response.failure === null || response.ttftMs !== null
  const [prompt = null, output = null] =
    isComplete || !hasOutput ? [] : await count([promptOf(request), outputOf(response) ?? ''])
  const prompt_tokens = reported.prompt ?? prompt
  const output_tokens = reported.output ?? output
  const tokens_estimated = prompt_tokens !== reported.prompt || output_tokens !== reported.output
  return { prompt_tokens, output_tokens, cached_tokens, reasoning_tokens, tokens_estimated }
}
