import type { z } from 'zod'
import type { Endpoint } from './common/endpoint.ts'
import { ProblemBody } from './common/problem.ts'
import { api } from './index.ts'

/** A request that failed: the service replied with a problem, or could not be reached (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  readonly problem: ProblemBody | null
  constructor(status: number, message: string, problem: ProblemBody | null, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.status = status
    this.problem = problem
  }
}

type QueryValue = string | number | boolean | Date | null | undefined
/** Query values: a list becomes a repeated parameter, a date becomes ISO 8601, absent values are omitted. */
export type QueryInput = Readonly<Record<string, QueryValue | readonly QueryValue[]>>

type Part<Name extends string, Schema, Value> = [Schema] extends [z.ZodUndefined]
  ? unknown
  : { readonly [K in Name]: Value }
type CallInput<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? Part<'params', P, Record<keyof z.input<P> & string, string | number>> &
        ([Q] extends [z.ZodUndefined] ? unknown : { readonly query?: QueryInput }) &
        Part<'body', B, z.input<B>>
    : never
type CallReply<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.output<R> : never
type Options = { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> }
type Call<E> = (input: CallInput<E>, options?: Options) => Promise<CallReply<E>>

export type ApiClient = {
  readonly [G in keyof typeof api]: { readonly [N in keyof (typeof api)[G]]: Call<(typeof api)[G][N]> }
} & {
  /** Returns the raw response of a route that replies with a file. */
  download(
    endpoint: Endpoint,
    input: { params?: Record<string, string>; query?: QueryInput },
    options?: Options,
  ): Promise<Response>
  /**
   * Returns the raw response of a route that replies with events. An error before the first event is thrown.
   */
  stream(
    endpoint: Endpoint,
    input: { params?: Record<string, string | number>; body: unknown },
    options?: Options,
  ): Promise<Response>
}

export type ClientOptions = {
  /** Origin of the service; empty for the origin of the page. */
  readonly baseUrl: string
  readonly token: () => string | null
  readonly fetch?: typeof fetch
  /** Called before a request is sent. If it throws, the request is not sent and the error is thrown. */
  readonly before?: (endpoint: Endpoint) => void
  /** Called for every 401 of the current token with its reason, so that an ended session is noticed immediately. */
  readonly onUnauthorized?: (problem: ProblemBody | null) => void
}

/** Returns the path with its parameters: `GET /api/users/:id` with `{ id: 'a b' }` → `/api/users/a%20b`. */
export function pathOf(
  endpoint: Pick<Endpoint, 'path'>,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))
}

/** Returns the query string with its `?`, or an empty text. */
export function queryString(query: QueryInput = {}): string {
  const search = new URLSearchParams()
  for (const [name, valueOrList] of Object.entries(query)) {
    for (const value of Array.isArray(valueOrList) ? valueOrList : [valueOrList]) {
      if (value === undefined || value === null) continue
      search.append(name, value instanceof Date ? value.toISOString() : String(value))
    }
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

type AnyInput = { params?: Record<string, string | number>; query?: QueryInput; body?: unknown }

/** Returns the URL and the options of `fetch` for a request. */
function requestOf(options: ClientOptions, endpoint: Endpoint, input: AnyInput, extra: Options) {
  const token = options.token()
  const headers: Record<string, string> = { accept: 'application/json', ...extra.headers }
  if (token !== null) headers['authorization'] = `Bearer ${token}`
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  const url = `${options.baseUrl}${pathOf(endpoint, input.params)}${queryString(input.query)}`
  const init: RequestInit = { method: endpoint.method, headers }
  if (input.body !== undefined) init.body = JSON.stringify(input.body)
  if (extra.signal !== undefined) init.signal = extra.signal
  return { url, init }
}

function throwUnreachable(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
  throw new ApiError(0, 'The service cannot be reached', null, { cause })
}

/**
 * Creates a fetch client from the endpoint tables: `client.users.update({ params: { id }, body: { role } })`.
 */
export function createClient(options: ClientOptions): ApiClient {
  const send = async (endpoint: Endpoint, input: AnyInput, extra: Options = {}): Promise<Response> => {
    options.before?.(endpoint)
    const token = options.token()
    const { url, init } = requestOf(options, endpoint, input, extra)
    const response = await (options.fetch ?? fetch)(url, init).catch(throwUnreachable)
    if (response.ok) return response
    const problem = ProblemBody.safeParse(await response.json().catch(() => null))
    if (response.status === 401 && options.token() === token) options.onUnauthorized?.(problem.data ?? null)
    throw problem.success
      ? new ApiError(response.status, problem.data.detail, problem.data)
      : new ApiError(response.status, `The service replied with status ${response.status}`, null)
  }
  const call =
    (endpoint: Endpoint) =>
    async (input: AnyInput = {}, extra?: Options) =>
      // The connection may also break within the reply.
      (await send(endpoint, input, extra)).json().catch(throwUnreachable)
  const groups = Object.entries(api).map(([group, table]) => [
    group,
    Object.fromEntries(
      Object.entries(table).map(([name, endpoint]) => [name, call(endpoint as unknown as Endpoint)]),
    ),
  ])
  const stream: ApiClient['stream'] = (endpoint, input, extra = {}) =>
    send(endpoint, input, { ...extra, headers: { accept: 'text/event-stream', ...extra.headers } })
  return { ...Object.fromEntries(groups), download: send, stream } as ApiClient
}
