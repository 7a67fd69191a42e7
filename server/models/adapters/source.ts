import type { GenerateRequest, ModelEvent } from '../model.ts'

/** What an adapter gives: the events, and between them signs that the provider is at work (it thinks, it pings). */
export type Part = ModelEvent | { readonly type: 'alive' }

/** One try of a call. Throws a `ModelError`, and holds no socket once it was aborted or left. */
export type Source = (request: GenerateRequest, signal: AbortSignal) => AsyncIterable<Part>
