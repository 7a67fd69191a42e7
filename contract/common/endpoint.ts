import type { z } from 'zod'
import type { ProblemCode } from './problem.ts'
import type { Permission } from './roles.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type MediaType =
  | 'text/csv'
  | 'text/markdown'
  | 'text/plain'
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/yaml'
  | 'application/x-tar'
  | 'application/vnd.sqlite3'

/**
 * The source of the workspace of a request. It restricts callers whose access is limited to listed workspaces.
 * - `none`: the route concerns no workspace; such a caller has the role `viewer`
 * - `all`: the route requires access to all workspaces, so such a caller gets 403
 * - `filter`: the reply contains only items of the caller's workspaces
 * - `item`: the workspace of the item in the path or body; an item of any other workspace is not found
 * - `input`: the workspace that the request names
 */
export type WorkspaceSource = 'none' | 'all' | 'filter' | 'item' | 'input'

/** A route as data: its input, its reply and the required permission. */
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
  /** `public`: no token needed. `signed_in`: any valid token, whatever its role. */
  readonly permission: Permission | 'public' | 'signed_in'
  /** The source of the workspace of a request; see `WorkspaceSource`. */
  readonly workspaces: WorkspaceSource
  /** Served only on the TLS listener of the network; elsewhere 404. */
  readonly lanOnly?: true
  /** Only for the session of a user: the service token and API tokens get 403. */
  readonly sessionOnly?: true
  /**
   * Allowed for an API token that is limited to a workspace or environments. Such a token may use no other
   * route.
   */
  readonly forApps?: true
  /** Allowed while the user must change the password. */
  readonly whileMustChange?: true
  /** Allowed while the user must set up two-factor authentication. `whileMustChange` allows this, too. */
  readonly whileMustSetUp?: true
  /**
   * Supports `Idempotency-Key`. `private`: the reply may contain data that the workspace does not store, so
   * the reply is kept in memory only. After it is deleted, a repetition gets a 409, which states that the
   * first request took effect.
   */
  readonly idempotent?: true | 'private'
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly reply: Reply
  readonly status?: 200 | 201 | 202
  /** The reply may also be 202 without a body. */
  readonly mayAccept?: true
  /**
   * `file`: a streamed download; `reply` describes one line of it. `preserialized`: JSON that is stored with
   * its ETag, for the most frequent routes. `stream`: JSON, or server-sent events if the body sets
   * `stream: true`; `reply` describes the JSON and the data of the last event `done`.
   */
  readonly replyAs?: 'json' | 'file' | 'preserialized' | 'stream'
  /** The possible content types of a `file`. */
  readonly mediaTypes?: readonly MediaType[]
  /** The reply has an `ETag`. A change checks `If-Match` (412 if outdated), a read `If-None-Match` (304). */
  readonly etag?: true
  /** Problems of this route, beyond those that every route can reply with. */
  readonly problems?: readonly ProblemCode[]
  readonly example: { readonly body?: z.input<Body>; readonly query?: string; readonly reply: z.input<Reply> }
}

/** The part of an endpoint that decides who may call it. */
export type AccessRule = Pick<
  Endpoint,
  'permission' | 'workspaces' | 'sessionOnly' | 'forApps' | 'whileMustChange' | 'whileMustSetUp'
>

/** Returns the definition unchanged, with its precise types. */
export function endpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Endpoint<Params, Query, Body, Reply>): Endpoint<Params, Query, Body, Reply> {
  return definition
}

/** The input of a handler: validated, with defaults. */
export type InputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? {
        readonly params: z.output<P>
        readonly query: z.output<Q>
        readonly body: z.output<B>
        /** The `If-Match` header; null if absent. Only for endpoints with an `etag`. */
        readonly ifMatch: string | null
      }
    : never

/** The type that a handler returns: the input type of the reply schema. */
export type ReplyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never
