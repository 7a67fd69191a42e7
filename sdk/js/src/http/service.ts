import { PromptdeckError } from '../core/errors.ts'
import type { ServedPrompt } from '../core/types.ts'
import { errorOf, type Http, isNotFound, type Reply } from './http.ts'
import { readServed } from './served.ts'

/** Result of a request for a key. `failed`: the service gave no result, so a copy may be used. */
export type PromptResult =
  | { readonly kind: 'prompt'; readonly prompt: ServedPrompt }
  | { readonly kind: 'same' }
  | { readonly kind: 'missing'; readonly error: PromptdeckError }
  | Failed

export type Failed = {
  readonly kind: 'failed'
  readonly error: PromptdeckError
  readonly retryAfterMs: number | null
}

export type Page =
  | { readonly kind: 'page'; readonly prompts: readonly ServedPrompt[]; readonly next: string | null }
  | Failed

export type Service = {
  /** `etag`: that of the prompt in memory; the result is `same` if it has not changed. */
  prompt(key: string, etag: string | null): Promise<PromptResult>
  prompts(cursor: string | null): Promise<Page>
}

export type ServiceDeps = {
  readonly http: Http
  readonly token: () => string | null
  readonly namespace: string
  readonly workspace: string
}

/** Reads served prompts. Throws only `Closed`. */
export function createService({ http, token, namespace, workspace }: ServiceDeps): Service {
  const query = new URLSearchParams({ env: namespace, workspace }).toString()

  const ask = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply | Failed> => {
    try {
      return await http.request(path, { headers })
    } catch (error) {
      if (!(error instanceof PromptdeckError) || error.code === 'Closed') throw error
      return { kind: 'failed', error, retryAfterMs: null }
    }
  }
  const rejected = (reply: Reply): Failed => ({
    kind: 'failed',
    error: errorOf(reply, token()),
    retryAfterMs: reply.retryAfterMs,
  })
  const invalidReply = ({ requestId }: Reply): Failed => ({
    kind: 'failed',
    error: new PromptdeckError('Unavailable', 'The service sent an invalid prompt. Try again.', {
      requestId,
    }),
    retryAfterMs: null,
  })

  return {
    async prompt(key, etag) {
      const path = `/api/sdk/prompts/${encodeURIComponent(key)}?${query}`
      const reply = await ask(path, etag === null ? {} : { 'if-none-match': etag })
      if ('kind' in reply) return reply
      if (reply.status === 304 && etag !== null) return { kind: 'same' }
      if (isNotFound(reply)) return { kind: 'missing', error: errorOf(reply, token()) }
      if (reply.status !== 200) return rejected(reply)
      const prompt = readServed(reply.body, key, reply.etag)
      return prompt === null ? invalidReply(reply) : { kind: 'prompt', prompt }
    },

    async prompts(cursor) {
      const cursorParameter = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const reply = await ask(`/api/sdk/prompts?${query}${cursorParameter}`)
      if ('kind' in reply) return reply
      if (reply.status !== 200) return rejected(reply)
      const { data, next_cursor: next } = reply.body as {
        readonly data?: unknown
        readonly next_cursor?: unknown
      }
      if (!Array.isArray(data)) return invalidReply(reply)
      const prompts = data.map((value) => readServed(value, null, null)).filter((value) => value !== null)
      if (prompts.length < data.length) return invalidReply(reply)
      return { kind: 'page', prompts, next: typeof next === 'string' ? next : null }
    },
  }
}
