import type { PromptdeckError } from './errors.ts'

/** Which keys there are and the variables each takes: `{ greet: { name: string } }`. */
export type Catalog = Readonly<Record<string, Readonly<Record<string, unknown>>>>
/** A catalog of one's own, written as a type or an interface. */
export type CatalogOf<Prompts> = { readonly [Key in keyof Prompts]: object }

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

/** What may be left out, or be null. */
type Optional<Members> = { readonly [Name in keyof Members]?: Members[Name] | null | undefined }

/** A model call to report: the body of `POST /api/runs`, in its spelling. */
export type Run = {
  readonly provider: string
  readonly model: string
  readonly latency_ms: number
  readonly status: 'ok' | 'error'
} & Optional<{
  /** The key of the prompt that was used. */
  ref_key: string
  version: string
  workspace_id: string
  source: string
  prompt_tokens: number
  output_tokens: number
  total_tokens: number
  /** Of `prompt_tokens`, those the provider had in its cache. */
  cached_tokens: number
  /** Of `output_tokens`, those spent on thinking. */
  reasoning_tokens: number
  tokens_estimated: boolean
  /** Time to the first token. */
  ttft_ms: number
  cost_usd: number
  error: string
  /** One word: `timeout`, `rate_limited`, … */
  error_type: string
  parent_id: string
  /** Made here unless given; the service counts a repeated one once. */
  client_run_id: string
  finish_reason: string
  /** Names of the variables, never their values. */
  variables: readonly string[]
  params: Readonly<Record<string, unknown>>
  input: unknown
  output: string
  /** ISO 8601; now unless given. */
  created_at: string
}>

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
