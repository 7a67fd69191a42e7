import { z } from 'zod'
import type { GenerateRequest, Usage } from '../../model.ts'

/**
 * Returns the body of a chat request: https://github.com/ollama/ollama/blob/main/docs/api.md, "Generate a
 * chat completion".
 */
export function chatBody({ model, messages, params, tools, responseSchema }: GenerateRequest): unknown {
  // Ollama has no `tool_choice`; without the declarations no tool can be called.
  const declared = params.tool_choice === 'none' ? [] : tools
  const options = {
    temperature: params.temperature,
    top_p: params.top_p,
    top_k: params.top_k,
    num_predict: params.max_output_tokens,
    stop: params.stop,
    seed: params.seed,
    frequency_penalty: params.frequency_penalty,
    presence_penalty: params.presence_penalty,
  }
  return {
    model,
    messages,
    stream: true,
    options,
    ...(responseSchema !== null && { format: responseSchema }),
    ...(declared.length > 0 && {
      tools: declared.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
  }
}

const Count = z.int().nonnegative().optional()
export const Chunk = z.object({
  message: z
    .object({
      content: z.string().default(''),
      tool_calls: z
        .array(
          z.object({
            id: z.string().optional(),
            function: z.object({ name: z.string(), arguments: z.unknown() }),
          }),
        )
        .default([]),
    })
    .optional(),
  done: z.boolean(),
  done_reason: z.string().optional(),
  prompt_eval_count: Count,
  eval_count: Count,
})
export type Chunk = z.infer<typeof Chunk>

export function usageOf({ prompt_eval_count: prompt, eval_count: output }: Chunk): Usage | null {
  if (prompt === undefined && output === undefined) return null
  return {
    promptTokens: prompt ?? null,
    outputTokens: output ?? null,
    cachedTokens: null,
    reasoningTokens: null,
  }
}
