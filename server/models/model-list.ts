import { z } from 'zod'

/** The request for a provider's list of models: the cheapest request that requires a valid key. */
export type ModelList = {
  readonly path: string
  readonly headers: (key: string | null) => Record<string, string>
  /** Returns the names in a reply; null if the reply is not a list of models. */
  readonly read: (reply: unknown) => string[] | null
}

export const bearer = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` }

const Ids = z.object({ data: z.array(z.object({ id: z.string() })) })

/** Returns the ids in a list of OpenAI's shape. */
export const readIds = (reply: unknown): string[] | null => {
  const parsed = Ids.safeParse(reply)
  return parsed.success ? parsed.data.data.map(({ id }) => id) : null
}

/** OpenAI API reference, "List models". Compatible providers have the same. */
export const openAiModelList: ModelList = { path: '/models', headers: bearer, read: readIds }
