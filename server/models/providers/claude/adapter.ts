import { createAnthropic } from '@ai-sdk/anthropic'
import type { AiSdkProvider } from '../../protocol/ai-sdk-source.ts'
import { keyOf } from '../../protocol/connection.ts'

/**
 * The adapter of the Anthropic Messages API. For a model without structured output, the schema becomes a tool
 * that the model must call.
 */
export const claude: AiSdkProvider = {
  open: (connection, { model }) =>
    createAnthropic({
      baseURL: connection.baseUrl,
      apiKey: keyOf(connection),
      fetch: connection.fetch,
    }).languageModel(model),
  // Tool calls are shown only when complete, and gateways may not support streamed arguments.
  options: () => ({ anthropic: { toolStreaming: false } }),
}
