import type { ProviderName } from '../../../contract/models.ts'
import type { Sleep } from '../policies/waiting.ts'
import { createMock } from './mock.ts'
import type { SdkProvider, SdkSetup } from './sdk-source.ts'
import type { Source } from './source.ts'

export type AdapterParts = SdkSetup & { readonly sleep: Sleep }

/** Returns the adapter of a provider. The caller adds the policies. */
export function adapterOf(name: ProviderName, parts: AdapterParts): Source {
  switch (name) {
    case 'mock':
      return createMock(parts).generate
    case 'openai':
      return loaded(parts, async () => (await import('./openai.ts')).openai)
    case 'claude':
      return loaded(parts, async () => (await import('./claude.ts')).claude)
    case 'gemini':
      return loaded(parts, async () => (await import('./gemini.ts')).gemini)
    case 'openai-compatible':
      return loaded(parts, async () => (await import('./openai-compatible.ts')).openaiCompatible)
    case 'ollama':
      return async function* (request, signal) {
        const { ollamaSource } = await import('./ollama.ts')
        yield* ollamaSource(parts)(request, signal)
      }
  }
}

/**
 * Loads the adapter at the first call: each library takes about 200 ms and 10 MB, and most services use one.
 */
function loaded(setup: SdkSetup, load: () => Promise<SdkProvider>): Source {
  return async function* (request, signal) {
    const [{ sdkSource }, provider] = await Promise.all([import('./sdk-source.ts'), load()])
    yield* sdkSource(provider, setup)(request, signal)
  }
}
