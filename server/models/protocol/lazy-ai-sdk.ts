import type { Provider } from '../provider.ts'
import type { AiSdkProvider } from './ai-sdk-source.ts'

/**
 * Loads an adapter of the AI SDK at the first call: each library takes about 200 ms and 10 MB, and most
 * services use one.
 */
export const lazyAiSdkSource =
  (load: () => Promise<AiSdkProvider>): Provider['adapter'] =>
  (parts) =>
    async function* (request, signal) {
      const [{ aiSdkSource }, provider] = await Promise.all([import('./ai-sdk-source.ts'), load()])
      yield* aiSdkSource(provider, parts)(request, signal)
    }
