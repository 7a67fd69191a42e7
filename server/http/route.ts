import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint, InputOf, ReplyOf } from '../../contract/common/endpoint.ts'
import type { Identity } from '../auth/identity/identity.ts'
import type { Context } from '../lib/context.ts'
import type { Download } from '../lib/download.ts'
import { createSharedJson } from './reply/reply-json.ts'

/** One server-sent event of a `stream` route: an `event:` and a `data:` field. */
export type StreamedEvent = { readonly event: string; readonly data: unknown }
/** Events that occurred together are sent together. */
export type EventReply = { readonly events: AsyncIterable<readonly StreamedEvent[]> }
export const isEventReply = (reply: unknown): reply is EventReply =>
  typeof reply === 'object' && reply !== null && 'events' in reply && !Array.isArray(reply.events)

/** Returns a reply as JSON. By default it is checked and written for each request. */
type JsonOf = (reply: unknown) => string

/**
 * An endpoint and its handler. The handler gets a context and validated input, and does not depend on
 * Express.
 */
export type Route =
  | {
      readonly kind: 'json'
      readonly endpoint: Endpoint
      readonly jsonOf?: JsonOf
      handle(ctx: Context, input: unknown): Promise<unknown>
    }
  | {
      readonly kind: 'stream'
      readonly endpoint: Endpoint
      readonly jsonOf?: JsonOf
      /** `signal` aborts if the caller disconnects before the reply is complete. */
      handle(ctx: Context, input: unknown, signal: AbortSignal): Promise<unknown>
    }
  | {
      readonly kind: 'file'
      readonly endpoint: Endpoint
      handle(ctx: Context, input: unknown): Promise<Download>
    }
  | {
      readonly kind: 'preserialized'
      readonly endpoint: Endpoint
      handle(ctx: Context, input: unknown): Promise<Preserialized>
    }
  | {
      readonly kind: 'raw'
      readonly endpoint: Endpoint
      handle(request: RawRequest): Promise<void>
    }

/** A route that replies with JSON. */
export type JsonRoute = Extract<Route, { readonly kind: 'json' | 'stream' }>

/** A request that passed all checks, and whose reply the handler writes by itself. */
export type RawRequest = {
  readonly ctx: Context
  readonly identity: Identity
  readonly query: unknown
  /** The body as received: JSON that the schema of the endpoint accepts. */
  readonly body: unknown
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Calls `end` when the caller's access ends. Returns a function that stops watching. */
  readonly watchAccess: (end: () => void) => () => void
}

/** A pre-serialized reply. Tests check its content, so that it is not validated on each request. */
export type Preserialized = { readonly etag: string; readonly json: string }

/** Defines a route that replies with JSON, validated against its endpoint. */
export function route<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>) => Promise<ReplyOf<E>>,
): JsonRoute {
  return {
    kind: 'json',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown) => Promise<unknown>,
  }
}

/** Returns the route with the JSON of a reply made once for each shared object: it must return those of `SharedResults`. */
export const sharingReplies = (base: JsonRoute): Route => ({
  ...base,
  jsonOf: createSharedJson(base.endpoint),
})

/** Defines a route that replies with JSON, or with events if the body has `stream: true`. */
export function streamRoute<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>, signal: AbortSignal) => Promise<ReplyOf<E> | EventReply>,
): JsonRoute {
  return {
    kind: 'stream',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown, signal: AbortSignal) => Promise<unknown>,
  }
}

/** Defines a route that replies with a download. */
export function fileRoute<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>) => Promise<Download>,
): Route {
  return {
    kind: 'file',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown) => Promise<Download>,
  }
}

/** Defines a route with a pre-serialized reply. */
export function preserializedRoute<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>) => Promise<Preserialized>,
): Route {
  return {
    kind: 'preserialized',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown) => Promise<Preserialized>,
  }
}

/** Defines a route whose handler writes the reply. */
export function rawRoute<E>(endpoint: E, handle: (request: RawRequest) => Promise<void>): Route {
  return { kind: 'raw', endpoint: endpoint as Endpoint, handle }
}
