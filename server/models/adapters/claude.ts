import { createAnthropic } from '@ai-sdk/anthropic'
import { keyOf } from './connection.ts'
import type { SdkProvider } from './sdk-source.ts'

/** Anthropic Messages. A model without structured output of its own gets the schema as a tool it has to call. */
export const claude: SdkProvider = {
  open: (connection, { model }) =>
    createAnthropic({
      baseURL: connection.baseUrl,
      apiKey: keyOf(connection),
      fetch: connection.fetch,
    }).languageModel(model),
  // Calls are shown whole; asking for their arguments in pieces is a word that gateways in between may not know.
  options: () => ({ anthropic: { toolStreaming: false } }),
}
