import type { BuiltInProvider } from '../../contract/models/models.ts'
import type { Provider } from './provider.ts'
import { claude } from './providers/claude/provider.ts'
import { gemini } from './providers/gemini/provider.ts'
import { mock } from './providers/mock/provider.ts'
import { ollama } from './providers/ollama/provider.ts'
import { openai } from './providers/openai/provider.ts'
import { openaiCompatible } from './providers/openai-compatible/provider.ts'

/** The built-in providers, in the order of the default price table. */
export const providers: Readonly<Record<BuiltInProvider, Provider>> = {
  openai,
  claude,
  gemini,
  ollama,
  'openai-compatible': openaiCompatible,
  mock,
}

const byName: ReadonlyMap<string, Provider> = new Map(Object.entries(providers))

/** Returns the facts of a built-in provider; null for any other name. */
export const builtInProvider = (name: string): Provider | null => byName.get(name) ?? null

/** Returns the name of the first built-in provider with a protocol; null if none has it. */
export const providerOfProtocol = (kind: string): string | null =>
  [...byName].find(([, provider]) => provider.kind === kind)?.[0] ?? null

/** Returns the facts of a provider that an admin added. */
export const addedProvider = (label: string): Provider => ({ ...openaiCompatible, label })
