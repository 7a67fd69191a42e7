import type { PromptdeckError } from './errors.ts'

/** Which keys there are and the variables each takes: `{ greet: { name: string } }`. */
export type Catalog = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A variable a prompt declares. */
export type Variable = {
  readonly name: string
  readonly required?: boolean
  /** Stands in when no value is given; null is none. */
  readonly default?: unknown
  readonly description?: string | null
}

/** Where a prompt came from: the service just now, this client's memory, the disk cache or the bundled fallbacks. */
export type Source = 'network' | 'memory' | 'disk' | 'fallback'

/** A published prompt as the service serves it. */
export type ServedPrompt<Key extends string = string> = {
  readonly key: Key
  /** `v1`, `v2`, …; null only for a fallback that names none. */
  readonly version: string | null
  readonly env: string
  readonly model: string | null
  /** The template, with `{{placeholders}}`. */
  readonly content: string
  readonly variables: readonly Variable[]
  /** Null only for a fallback that names none. */
  readonly etag: string | null
}

/** What `getPrompt` answers. */
export type Prompt<Key extends string = string> = ServedPrompt<Key> & { readonly source: Source }

/** A prompt bundled with the app: its text, or a prompt of which only `content` has to be given. */
export type Fallback = string | (Partial<Omit<ServedPrompt, 'key'>> & { readonly content: string })

/** A model call to report: the body of `POST /api/runs`, in its spelling. */
export type Run = {
  readonly provider: string
  readonly model: string
  readonly latency_ms: number
  readonly status: 'ok' | 'error'
  /** The key of the prompt that was used. */
  readonly ref_key?: string | null
  readonly version?: string | null
  readonly workspace_id?: string | null
  readonly source?: string | null
  readonly prompt_tokens?: number | null
  readonly output_tokens?: number | null
  readonly total_tokens?: number | null
  readonly cached_tokens?: number | null
  readonly reasoning_tokens?: number | null
  readonly tokens_estimated?: boolean | null
  /** Time to the first token. */
  readonly ttft_ms?: number | null
  readonly cost_usd?: number | null
  readonly error?: string | null
  /** One word: `timeout`, `rate_limited`, … */
  readonly error_type?: string | null
  readonly parent_id?: string | null
  /** Made here unless given; the service counts a repeated one once. */
  readonly client_run_id?: string | null
  readonly finish_reason?: string | null
  /** Names of the variables, never their values. */
  readonly variables?: readonly string[] | null
  readonly params?: Readonly<Record<string, unknown>> | null
  readonly input?: unknown
  readonly output?: string | null
  /** ISO 8601; now unless given. */
  readonly created_at?: string | null
}

/** A prompt that is served otherwise than before. Nulls where there is none: nothing before, or deleted. */
export type Update = {
  readonly key: string
  readonly version: string | null
  readonly previousVersion: string | null
  readonly prompt: Prompt | null
}

/** What `on` tells of, by name. */
export type ClientEvents = {
  /** The live connection stands. */
  readonly connect: { readonly clientId: string; readonly seq: number }
  /** It ended; the client goes on trying by itself. Code and reason as in RFC 6455, 1006 when it was cut. */
  readonly disconnect: { readonly code: number; readonly reason: string }
  readonly update: Update
  /** Too much was missed: everything held was fetched again. */
  readonly resync: { readonly seq: number }
  /** What nobody waits for went wrong. */
  readonly error: { readonly error: PromptdeckError }
}

export type EventName = keyof ClientEvents
export type Listener<Name extends EventName> = (data: ClientEvents[Name]) => void
