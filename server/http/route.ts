import type { Endpoint, InputOf, ReplyOf } from '../../contract/endpoint.ts'
import type { Context } from '../lib/context.ts'
import type { Download } from '../lib/download.ts'

/** What a `stream` route sends when its caller asked for events: each is one `event:` and `data:` pair. */
export type StreamedEvent = { readonly event: string; readonly data: unknown }
/** What came together is sent together. */
export type EventReply = { readonly events: AsyncIterable<readonly StreamedEvent[]> }
export const isEventReply = (reply: unknown): reply is EventReply =>
  typeof reply === 'object' && reply !== null && 'events' in reply && !Array.isArray(reply.events)

/** An endpoint and what answers it. Free of Express: a handler sees a context and parsed input, nothing of the request. */
export type Route =
  | {
      readonly kind: 'json'
      readonly endpoint: Endpoint
      handle(ctx: Context, input: unknown): Promise<unknown>
    }
  | {
      readonly kind: 'stream'
      readonly endpoint: Endpoint
      /** `signal` aborts when the caller leaves before the reply is whole. */
      handle(ctx: Context, input: unknown, signal: AbortSignal): Promise<unknown>
    }
  | {
      readonly kind: 'file'
      readonly endpoint: Endpoint
      handle(ctx: Context, input: unknown): Promise<Download>
    }
  | {
      readonly kind: 'sealed'
      readonly endpoint: Endpoint
      handle(ctx: Context, input: unknown): Promise<Sealed>
    }

/** A reply that is JSON already: what it holds is checked by tests, not on each request. */
export type Sealed = { readonly etag: string; readonly json: string }

export function route<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>) => Promise<ReplyOf<E>>,
): Route {
  return {
    kind: 'json',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown) => Promise<unknown>,
  }
}

/** Answers with JSON, or with events when the body says `stream: true`. */
export function streamRoute<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>, signal: AbortSignal) => Promise<ReplyOf<E> | EventReply>,
): Route {
  return {
    kind: 'stream',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown, signal: AbortSignal) => Promise<unknown>,
  }
}

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

export function sealedRoute<E>(
  endpoint: E,
  handle: (ctx: Context, input: InputOf<E>) => Promise<Sealed>,
): Route {
  return {
    kind: 'sealed',
    endpoint: endpoint as Endpoint,
    handle: handle as (ctx: Context, input: unknown) => Promise<Sealed>,
  }
}
