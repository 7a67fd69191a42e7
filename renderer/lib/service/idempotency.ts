import type { ProblemBody } from '../../../contract/common/problem.ts'
import { t } from '../i18n.ts'
import { session } from '../session/session.ts'
import { rateLimitedFetch } from './busy.ts'

/** The last change without a reply, which may have taken effect, and its key. */
let unanswered: { readonly content: string; readonly key: string } | null = null

/**
 * `fetch` that sends an `Idempotency-Key` with each change. The repetition of a change without a reply has the
 * same key.
 */
export const idempotentFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  // The service refuses a key for event streams.
  if (init?.method === 'GET' || headers.get('accept') === 'text/event-stream')
    return rateLimitedFetch(input, init)
  const content = JSON.stringify([input, init])
  const key =
    unanswered?.content === content ? unanswered.key : crypto.getRandomValues(new Uint32Array(4)).join('-')
  headers.set('idempotency-key', key)
  unanswered = { content, key }
  const token = session.token()
  const response = await rateLimitedFetch(input, { ...init, headers })
  // The connection may also break within the reply.
  const text = await response.clone().text()
  if (isOver(token)) throw new Error('The session that sent this request has ended')
  // Proxies reply with 502 and 504 themselves.
  if (response.status < 500 && unanswered?.key === key) unanswered = null
  return response.status === 409 ? withoutKey(response, text) : response
}

/** True if the session with this token ended: nobody else may see the result. A new token continues the session. */
const isOver = (token: string | null): boolean => {
  const now = session.get()
  return token !== null && token !== now.token && token !== now.replaced
}

/** Explains a refused repetition without the key, which the user does not know. */
function withoutKey(response: Response, text: string): Response {
  if (!text.includes('"code":"idempotency.mismatch"')) return response
  const problem = JSON.parse(text) as ProblemBody
  const explained = {
    ...problem,
    title: t('common:error.repeated_title'),
    detail: t('common:error.repeated'),
  }
  return Response.json(explained, { status: response.status })
}
