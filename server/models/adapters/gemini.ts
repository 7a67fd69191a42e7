import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { keyOf } from './connection.ts'
import type { SdkProvider } from './sdk-source.ts'

/** `streamGenerateContent`. The key is sent in a header, never in the URL. */
export const gemini: SdkProvider = {
  open: (connection, { model }) =>
    createGoogleGenerativeAI({
      baseURL: connection.baseUrl,
      apiKey: keyOf(connection),
      fetch: connection.fetch,
    }).languageModel(model),
}
