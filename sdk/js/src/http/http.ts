import { certificateProblem } from '../core/certificate.ts'
import { closed, messageOf, PromptdeckError } from '../core/errors.ts'
import type { Fetch } from '../core/platform.ts'
import type { Timers } from '../lib/timers.ts'

export type Reply = {
  readonly status: number
  /** The parsed JSON; undefined if there was none. */
  readonly body: unknown
  readonly etag: string | null
  /** Wait in milliseconds that the service asks for; null if it names none. */
  readonly retryAfterMs: number | null
  readonly requestId: string | null
}

export type RequestOptions = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The request outlives its page. Browsers limit its body to 64 KiB. */
  readonly keepalive?: boolean
  /** Time limit in milliseconds; by default that of the client. */
  readonly timeoutMs?: number
}

export type Http = {
  /** @throws PromptdeckError `Unavailable` without a complete reply, `Closed` once stopped. */
  request(path: string, options?: RequestOptions): Promise<Reply>
  /** Aborts all requests in progress. */
  stop(): void
}

export type HttpDeps = {
  readonly fetch: Fetch
  readonly server: string
  readonly token: () => string | null
  readonly headers: Readonly<Record<string, string>>
  readonly requestMs: number
  readonly timers: Timers
}

export function createHttp(deps: HttpDeps): Http {
  const controllers = new Set<AbortController>()
  let isStopped = false
  return {
    async request(path, options = {}) {
      if (isStopped) throw closed()
      const controller = new AbortController()
      controllers.add(controller)
      try {
        return await fetchReply(deps, path, options, controller)
      } catch (error) {
        throw isStopped ? closed() : error
      } finally {
        controllers.delete(controller)
      }
    },
    stop() {
      isStopped = true
      for (const controller of controllers) controller.abort()
    },
  }
}

async function fetchReply(
  deps: HttpDeps,
  path: string,
  options: RequestOptions,
  controller: AbortController,
): Promise<Reply> {
  const { server, requestMs, timers } = deps
  const { timeoutMs = requestMs } = options
  let isTimedOut = false
  const onTimeout = (): void => {
    isTimedOut = true
    controller.abort()
  }
  const cancel = timers.after(timeoutMs, onTimeout, { keepsAlive: true })
  try {
    return await readReply(
      await deps.fetch(`${server}${path}`, requestInit(deps, options, controller.signal)),
    )
  } catch (error) {
    if (error instanceof PromptdeckError) throw error
    const reason = isTimedOut ? `no reply within ${timeoutMs} ms` : reasonOf(error)
    throw new PromptdeckError(
      'Unavailable',
      certificateProblem(error, server) ??
        `${server} could not be reached (${reason}). Check that the address is correct and that the service is running${hint}.`,
    )
  } finally {
    cancel()
  }
}

function requestInit({ token, headers: common }: HttpDeps, options: RequestOptions, signal: AbortSignal) {
  const { method = 'GET', headers = {}, body, keepalive = false } = options
  const secret = token()
  return {
    method,
    headers: {
      accept: 'application/json',
      ...common,
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    keepalive,
    signal,
    // The token must not follow a redirect to another address.
    redirect: 'error',
    credentials: 'omit',
    // A browser's cache would answer conditional requests instead of the service.
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  } satisfies RequestInit
}

/** Added in pages, where the browser does not report that CORS blocked the reply. */
const hint = 'document' in globalThis ? ' with the origin of this page in ALLOWED_ORIGINS' : ''

/** Returns the reason for a failed request. In Node, it is in the error's cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : messageOf(cause ?? error)
}

async function readReply(response: Response): Promise<Reply> {
  const { status, headers } = response
  const requestId = headers.get('x-request-id')
  const text = await response.text()
  const body = parse(text)
  if (response.ok && status !== 204 && body === undefined) {
    const message = 'The reply is not JSON. Check that server is the address of Promptdeck.'
    throw new PromptdeckError('Unavailable', message, { requestId })
  }
  return {
    status,
    body,
    etag: headers.get('etag'),
    retryAfterMs: retryAfterIn(headers.get('retry-after')),
    requestId: requestId ?? member(body, 'request_id'),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Undefined marks a missing body; callers that need one reject it.
    return undefined
  }
}

/** Maximum wait that a reply may request, in milliseconds. */
const maxWaitMs = 86_400_000

/** Parses Retry-After (seconds or a date) into milliseconds, at most a day. */
function retryAfterIn(header: string | null): number | null {
  if (header === null || header.trim() === '') return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), maxWaitMs)
}

function member(body: unknown, name: string): string | null {
  const value = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof value === 'string' ? value : null
}

/** Returns true for a 404 of the service itself, and not of another program. */
export const isNotFound = ({ status, body }: Reply): boolean =>
  status === 404 && member(body, 'code') === 'not_found'

/** Statuses for which a retry of the same request cannot help. */
export const rejectedStatuses: ReadonlySet<number> = new Set([400, 413, 422])

/** Returns true if the service rejected the time of a run: its clock and that of this machine differ. */
export function isAboutTime({ body }: Reply): boolean {
  const errors: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'errors') : null
  return Array.isArray(errors) && errors.some((error) => member(error, 'path')?.endsWith('created_at'))
}

/**
 * Returns the error for a rejected request. Removes `secret` from the message, even if the service repeats
 * it.
 */
export function errorOf(reply: Reply, secret: string | null): PromptdeckError {
  const message = member(reply.body, 'detail') ?? member(reply.body, 'error') ?? `status ${reply.status}`
  const detail = (secret === null ? message : message.replaceAll(secret, '…')).replace(/\.$/, '')
  const { requestId, status } = reply
  const make = (code: PromptdeckError['code'], message: string) =>
    new PromptdeckError(code, message, { requestId })
  if (status === 401 && secret === null)
    return make('Unauthorized', 'The service requires a token. Set the option token, or PROMPTDECK_TOKEN.')
  if (status === 401)
    return make('Unauthorized', `The service rejected the token: ${detail}. Set another token.`)
  if (status === 403) return make('Forbidden', `The token does not allow this request: ${detail}.`)
  if (isNotFound(reply))
    return make(
      'NotFound',
      `${detail}. Check the key, namespace and workspace, and that the prompt is published.`,
    )
  if (status === 429) return make('Unavailable', `Too many requests: ${detail}. Try again later.`)
  if (status === 404)
    return make('Unavailable', `Not found: ${detail}. Check that server is the address of Promptdeck.`)
  if (rejectedStatuses.has(status)) return make('Invalid', `The service rejected the request: ${detail}.`)
  return make('Unavailable', `The service failed: ${detail}. Try again later.`)
}
