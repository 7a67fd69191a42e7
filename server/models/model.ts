import type {
  ChatMessage,
  JsonSchema,
  ModelParams,
  ToolCall,
  ToolDeclaration,
} from '../../contract/models.ts'

/** One call of a model. The last message is the user's. */
export type GenerateRequest = {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly params: ModelParams
  readonly tools: readonly ToolDeclaration[]
  /** The answer has to be JSON of this shape. */
  readonly responseSchema: JsonSchema | null
}

/** As the provider reports it; null where it says nothing. Cached and reasoning tokens are part of the sums before them. */
export type Usage = {
  readonly promptTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
}

/** What comes while a model answers: any number of deltas and tool calls, then exactly one end. */
export type ModelEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | { readonly type: 'end'; readonly finishReason: string | null; readonly usage: Usage | null }

/**
 * A source of answers. `generate` throws a `ModelError`, also in the middle; an aborted signal ends it as `cancelled`.
 * `principal` names who calls: slots of a provider are shared between principals, whatever number of calls each makes.
 */
export type Model = {
  generate(request: GenerateRequest, signal: AbortSignal, principal: string): AsyncIterable<ModelEvent>
}

/** Why a call failed; what a run's `error` begins with. */
export const modelErrorTypes = [
  'not_configured',
  'host_refused',
  'bad_request',
  'unauthorized',
  'rate_limited',
  'provider_error',
  'unreachable',
  'timeout',
  'stalled',
  'malformed',
  'too_large',
  'cancelled',
  'interrupted',
] as const
export type ModelErrorType = (typeof modelErrorTypes)[number]

/** The message is for a person, and free of keys and bodies. */
export class ModelError extends Error {
  readonly type: ModelErrorType
  /** The provider's HTTP status, when there was one. */
  readonly status: number | null
  /** What the provider asked to wait. */
  readonly retryAfterMs: number | null
  constructor(
    type: ModelErrorType,
    message: string,
    extra: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause })
    this.name = 'ModelError'
    this.type = type
    this.status = extra.status ?? null
    this.retryAfterMs = extra.retryAfterMs ?? null
  }
}

/** What the rest of the service sees of the providers: which there are, and one way to call them. */
export type Models = {
  /** Null: there is no such provider. */
  find(name: string): ModelChoice | null
}

/** Calls under way and calls that wait for a slot, over all providers. */
export type ModelLoad = () => { readonly running: number; readonly waiting: number }
export type ModelChoice = {
  readonly name: string
  /** The model a call without one gets; null: it has to be named. */
  readonly defaultModel: string | null
  /** Whether a call can be made at all; otherwise `generate` throws `not_configured` with the reason. */
  readonly isConfigured: boolean
  /** With time-outs, retries before the first byte and the provider's concurrency limit. */
  readonly generate: Model['generate']
}
