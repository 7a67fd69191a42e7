import { createAnthropic } from '@ai-sdk/anthropic'
import { keyOf } from './connection.ts'
import type { SdkProvider } from './sdk-source.ts'

/**
 * Anthropic Messages. For a model without structured output, the schema becomes a tool that the model must
 * call.
 */
export const claude: SdkProvider = {
  open: (connection, { model }) =>
    createAnthropic({
      baseURL: connection.baseUrl,
      apiKey: keyOf(connection),
      fetch: connection.fetch,
    }).languageModel(model),
  // Tool calls are shown only when complete, and gateways may not support streamed arguments.
  options: () => ({ anthropic: { toolStreaming: false } }),
}
