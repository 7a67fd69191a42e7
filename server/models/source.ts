import type { GenerateRequest, ModelEvent } from './model.ts'

/** An event of an adapter, or activity without content, such as a ping. */
export type Part = ModelEvent | { readonly type: 'activity' }

/**
 * Makes one attempt of a call. Throws a `ModelError`. Releases its socket when it is aborted or not read
 * further.
 */
export type Source = (request: GenerateRequest, signal: AbortSignal) => AsyncIterable<Part>
