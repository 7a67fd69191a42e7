import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/models/models.ts'
import type { GenerateRequest, Usage } from '../../model.ts'
import { argumentsObject, toolNameOf } from '../../protocol/tool-messages.ts'

/**
 * Returns the body of a chat request: https://github.com/ollama/ollama/blob/main/docs/api.md, "Generate a
 * chat completion".
 */
export function chatBody({
  model,
  messages,
  params,
  tools,
  responseSchema,
  isJson,
}: GenerateRequest): unknown {
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
    messages: messages.map((message) => messageBody(message, messages)),
    stream: true,
    options,
    ...(isJson === true && { format: 'json' }),
    ...(responseSchema !== null && { format: responseSchema }),
    ...(declared.length > 0 && {
      tools: declared.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
  }
}

/** Ollama takes the arguments of a call as an object, and the name of the tool with its result. */
function messageBody(message: ChatMessage, messages: readonly ChatMessage[]): unknown {
  if (message.role === 'tool')
    return { role: 'tool', content: message.content, tool_name: toolNameOf(message, messages) }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return message
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.tool_calls.map(({ name, arguments: input }) => ({
      function: { name, arguments: argumentsObject(input) },
    })),
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
