import type { z } from 'zod'
import type { ProblemCode } from './problem.ts'
import type { Permission } from './roles.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type MediaType =
  | 'text/csv'
  | 'text/markdown'
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/yaml'
  | 'application/vnd.sqlite3'

/** One route as data: what it takes, what it answers, who may call it. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> = {
  readonly method: Method
  /** A second method with the same meaning: PUT takes the same body as PATCH. */
  readonly alias?: 'PUT'
  readonly path: `/${string}`
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** `public`: no token at all. `signed_in`: any valid token, whatever its role. */
  readonly permission: Permission | 'public' | 'signed_in'
  /** Only for a user's own session: the service token and API tokens get 403. */
  readonly sessionOnly?: true
  /** Open to an API token that is limited to a workspace or namespaces; everything else is closed to it. */
  readonly forApps?: true
  /** Reachable while the user must change the password. */
  readonly whileMustChange?: true
  /**
   * Honours `Idempotency-Key`. `private`: the reply may hold what the workspace does not keep, so it is held in memory
   * only; a repeat after that is told that the first was answered.
   */
  readonly idempotent?: true | 'private'
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly reply: Reply
  readonly status?: 200 | 201
  /**
   * `file`: the reply is a streamed download and `reply` describes one line of it. `sealed`: JSON the handler made
   * itself, with its ETag, for routes where every microsecond counts. `stream`: JSON, or server-sent events when the
   * body says `stream: true`; `reply` is the JSON, and the data of the last event `done`.
   */
  readonly replyAs?: 'json' | 'file' | 'sealed' | 'stream'
  /** Of a `file`: the content types it can have, as its query or its kind decides. */
  readonly mediaTypes?: readonly MediaType[]
  /** The reply carries an `ETag`. A change honours `If-Match` (412 when stale), a read `If-None-Match` (304). */
  readonly etag?: true
  /** What it can answer beyond the problems every route can. */
  readonly problems?: readonly ProblemCode[]
  readonly example: { readonly body?: z.input<Body>; readonly query?: string; readonly reply: z.input<Reply> }
}

/** Keeps the precise types of one endpoint. */
export function endpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Endpoint<Params, Query, Body, Reply>): Endpoint<Params, Query, Body, Reply> {
  return definition
}

/** What a handler is given: parsed, defaults filled in. */
export type InputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? {
        readonly params: z.output<P>
        readonly query: z.output<Q>
        readonly body: z.output<B>
        /** The `If-Match` header; null when there is none. Only of endpoints with an `etag`. */
        readonly ifMatch: string | null
      }
    : never

/** What a handler may return: anything the reply schema accepts. */
export type ReplyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never
