import type { ProviderName } from '../../contract/models/models.ts'
import type { Provider } from './provider.ts'
import { claude } from './providers/claude/provider.ts'
import { gemini } from './providers/gemini/provider.ts'
import { mock } from './providers/mock/provider.ts'
import { ollama } from './providers/ollama/provider.ts'
import { openai } from './providers/openai/provider.ts'
import { openaiCompatible } from './providers/openai-compatible/provider.ts'

/** The built-in providers, in the order of the default price table. */
export const providers: Readonly<Record<ProviderName, Provider>> = {
  openai,
  claude,
  gemini,
  ollama,
  'openai-compatible': openaiCompatible,
  mock,
}
