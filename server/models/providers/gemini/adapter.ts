import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { AiSdkProvider } from '../../protocol/ai-sdk-source.ts'
import { keyOf } from '../../protocol/connection.ts'

/** `streamGenerateContent`. The key is sent in a header, never in the URL. */
export const gemini: AiSdkProvider = {
  open: (connection, { model }) =>
    createGoogleGenerativeAI({
      baseURL: connection.baseUrl,
      apiKey: keyOf(connection),
      fetch: connection.fetch,
    }).languageModel(model),
}
