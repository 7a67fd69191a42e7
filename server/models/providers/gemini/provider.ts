import { z } from 'zod'
import { lazyAiSdkSource } from '../../protocol/lazy-ai-sdk.ts'
import { type Provider, remote } from '../../provider.ts'
import { prices } from './prices.ts'

const Models = z.object({
  models: z
    .array(z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).optional() }))
    .default([]),
})

// The key is not in the URL, because proxies and logs record URLs.
const keyHeaders = (key: string | null): Record<string, string> =>
  key === null ? {} : { 'x-goog-api-key': key }

export const gemini: Provider = {
  ...remote,
  label: 'Google Gemini',
  kind: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  models: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  defaultModel: 'gemini-2.5-flash',
  unsupportedParams: ['mock'],
  hasLeadingInstructions: true,
  prices: { names: ['gemini', 'google'], models: prices },
  keyHeaders,
  modelList: {
    path: '/models?pageSize=200',
    headers: keyHeaders,
    read(reply) {
      const parsed = Models.safeParse(reply)
      if (!parsed.success) return null
      return parsed.data.models
        .filter(({ supportedGenerationMethods: methods }) => methods?.includes('generateContent') ?? true)
        .map(({ name }) => name.replace(/^models\//, ''))
    },
  },
  adapter: lazyAiSdkSource(async () => (await import('./adapter.ts')).gemini),
}
