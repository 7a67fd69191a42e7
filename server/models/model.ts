import type {
  ChatMessage,
  JsonSchema,
  ModelParams,
  ToolCall,
  ToolDeclaration,
} from '../../contract/models/models.ts'
import type { ProviderSettings } from './settings.ts'

export type GenerateRequest = {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly params: ModelParams
  readonly tools: readonly ToolDeclaration[]
  readonly responseSchema: JsonSchema | null
  /** True if the response must be JSON; without a schema, any JSON object. */
  readonly isJson?: boolean
  /** The rendered prompt as text. By default the content of the last message. */
  readonly text?: string
}

/**
 * Token counts that the provider reported; null where it reported none. Cached tokens are part of the prompt
 * tokens, reasoning tokens part of the output tokens.
 */
export type Usage = {
  readonly promptTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
}

/** Returns the sum of two token counts; null if neither was reported. */
export const sumOfTokens = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)

/** An event of a response: zero or more deltas and tool calls, then exactly one end. */
export type ModelEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | { readonly type: 'end'; readonly finishReason: string | null; readonly usage: Usage | null }

/**
 * A model. `generate` throws a `ModelError`, also during the response; an aborted signal ends it as
 * `cancelled`. `principal` identifies the caller: slots are divided between principals, however many calls
 * each makes.
 */
export type Model = {
  generate(request: GenerateRequest, signal: AbortSignal, principal: string): AsyncIterable<ModelEvent>
}

/** The reasons for which a call fails. A run's `error` begins with one of them. */
const modelErrorTypes = [
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

/** A failed model call. The message is for people and contains neither keys nor bodies. */
export class ModelError extends Error {
  readonly type: ModelErrorType
  /** The provider's HTTP status; null without one. */
  readonly status: number | null
  /** The delay that the provider asked for. */
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

/** The providers, as the rest of the service uses them. */
export type Models = {
  /** Returns null for an unknown provider. */
  find(name: string): ModelChoice | null
}

/** The providers, for requests in their own protocols. */
export type DirectModels = {
  /** Returns null for an unknown provider. */
  direct(name: string): DirectProvider | null
}

/** A provider for requests in its own protocol. They share its slots with all other calls. */
export type DirectProvider = {
  readonly name: string
  readonly label: string
  /** The name of its protocol. */
  readonly kind: string
  readonly settings: ProviderSettings
  /** Generates a response inside the service; null for a provider with an address, to which requests are passed on. */
  readonly generate: ((request: GenerateRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>) | null
  /** The reason why it cannot be called, or null. With a key of the caller, its own is not needed. */
  refusal(hasOwnKey: boolean): string | null
  readonly keyHeaders: (key: string | null) => Record<string, string>
  /** Resolves with a function that releases the slot. Rejects if the signal aborts or the queue is full. */
  take(signal: AbortSignal, principal: string): Promise<() => void>
  /** Call it with a slot. The returned function stores the outcome for the status of the provider. */
  observe(): (outcome: CallOutcome) => void
}

/** Returns the number of running calls and of calls that wait for a slot, over all providers. */
export type ModelLoad = () => { readonly running: number; readonly waiting: number }

/** A provider to call. */
export type ModelChoice = {
  readonly name: string
  /** The model of a call that names none; null: each call must name one. */
  readonly defaultModel: string | null
  /** True if a call can be made; otherwise `generate` throws `not_configured` with the reason. */
  readonly isConfigured: boolean
  /** Generates with time limits, retries before the first byte, and the provider's concurrency limit. */
  readonly generate: Model['generate']
}

/** The result of a call, as far as it shows whether the provider works. */
export type CallOutcome =
  /** Time to the first output, without the time in the queue. */
  { readonly latencyMs: number } | { readonly error: ModelError }

/**
 * Called when a call gets its slot. The returned function receives its outcome, unless the caller cancelled
 * it.
 */
export type ObserveCall = (provider: string) => (outcome: CallOutcome) => void
