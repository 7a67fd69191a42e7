import { applyToMessage } from './anthropic.ts'
import { applyToContent } from './gemini.ts'
import { applyToOllamaChat } from './ollama.ts'
import { applyToChat } from './openai-chat.ts'
import { applyToResponse } from './openai-responses.ts'
import type { ApplyPrompt } from './served-prompt.ts'

/** The routes that accept a prompt as a model, by the end of their pattern. */
const routes: readonly (readonly [pattern: string, apply: ApplyPrompt])[] = [
  ['openai/v1/chat/completions', applyToChat],
  ['openai/v1/responses', applyToResponse],
  ['anthropic/v1/messages', applyToMessage],
  ['gemini/v1beta/models/{model}:generateContent', applyToContent],
  ['gemini/v1beta/models/{model}:streamGenerateContent', applyToContent],
  ['ollama/api/chat', applyToOllamaChat],
]

/** Returns the function that inserts a prompt into requests of a route; null if it accepts none. */
export const applyOf = (pattern: string): ApplyPrompt | null =>
  routes.find(([name]) => pattern === `/gateway/${name}`)?.[1] ?? null
