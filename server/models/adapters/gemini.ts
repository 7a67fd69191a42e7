import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { keyOf } from './connection.ts'
import type { SdkProvider } from './sdk-source.ts'

/** `streamGenerateContent`. The key goes as a header, never in the address. */
export const gemini: SdkProvider = {
  open: (connection, { model }) =>
    createGoogleGenerativeAI({
      baseURL: connection.baseUrl,
      apiKey: keyOf(connection),
      fetch: connection.fetch,
    }).languageModel(model),
}
