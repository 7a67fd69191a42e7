import { z } from 'zod'
import type { ProviderName } from '../../../contract/models.ts'
import { maxModels } from '../../../contract/providers.ts'

/** The request for a provider's list of models: the cheapest request that requires a valid key. */
export type Listing = {
  readonly path: string
  readonly headers: (key: string | null) => Record<string, string>
  /** Returns the names in a reply; null if the reply is not a list of models. */
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
    // The API requires a version and replies with 400 without it.
    headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),
    read: ids,
  },
  gemini: {
    path: '/models?pageSize=200',
    // Not in the URL, which proxies and logs record.
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

/**
 * Returns names that can be shown and called: not empty, not too long, and without the key of the request.
 */
export function usableNames(names: readonly string[], key: string | null): string[] {
  const usable = names.filter(
    (name) => /^[\x21-\x7e]{1,128}$/.test(name) && (key === null || !name.includes(key)),
  )
  return [...new Set(usable)].slice(0, maxModels)
}
