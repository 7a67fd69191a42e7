import { z } from 'zod'
import type { ProviderName } from '../../../contract/models.ts'
import { maxModels } from '../../../contract/providers.ts'

/** How to ask a provider for its models: the cheapest question that takes a valid key. */
export type Listing = {
  readonly path: string
  readonly headers: (key: string | null) => Record<string, string>
  /** The names in its answer; null when that is no list of models. */
  readonly read: (answer: unknown) => string[] | null
}

const bearer = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` }
const Ids = z.object({ data: z.array(z.object({ id: z.string() })) })
const Names = z.object({ models: z.array(z.object({ name: z.string() })) })
const GeminiModels = z.object({
  models: z
    .array(z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).optional() }))
    .default([]),
})

const ids = (answer: unknown): string[] | null => {
  const parsed = Ids.safeParse(answer)
  return parsed.success ? parsed.data.data.map(({ id }) => id) : null
}

/** OpenAI API reference, "List models". */
const openai: Listing = { path: '/models', headers: bearer, read: ids }

export const listings: Readonly<Record<Exclude<ProviderName, 'mock'>, Listing>> = {
  openai,
  'openai-compatible': openai,
  claude: {
    path: '/models?limit=200',
    // The version is a part of the protocol; without it the API answers 400.
    headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),
    read: ids,
  },
  gemini: {
    path: '/models?pageSize=200',
    // Not in the address, where proxies and logs would see it.
    headers: (key) => (key === null ? {} : { 'x-goog-api-key': key }),
    read: (answer) => {
      const parsed = GeminiModels.safeParse(answer)
      if (!parsed.success) return null
      return parsed.data.models
        .filter(({ supportedGenerationMethods: ways }) => ways?.includes('generateContent') ?? true)
        .map(({ name }) => name.replace(/^models\//, ''))
    },
  },
  ollama: {
    path: '/api/tags',
    headers: bearer,
    read: (answer) => {
      const parsed = Names.safeParse(answer)
      return parsed.success ? parsed.data.models.map(({ name }) => name) : null
    },
  },
}

/** Names that can be shown and called: none that is empty, endless, or repeats the key it was asked with. */
export function usableNames(names: readonly string[], key: string | null): string[] {
  const usable = names.filter(
    (name) => /^[\x21-\x7e]{1,128}$/.test(name) && (key === null || !name.includes(key)),
  )
  return [...new Set(usable)].slice(0, maxModels)
}
