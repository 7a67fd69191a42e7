import type { SpanKind } from '../../../contract/runs/spans.ts'
import type { Attributes } from '../protocol/values.ts'
import type { Content } from './content/content.ts'

/** The fields of a call, each with the names of its attributes, the preferred one first. */
export type CallField =
  | 'provider'
  | 'model'
  | 'response_model'
  | 'response_id'
  | 'prompt_tokens'
  | 'output_tokens'
  | 'total_tokens'
  | 'cached_tokens'
  | 'reasoning_tokens'
  | 'finish_reason'
  | 'cost_usd'
  /** In seconds. */
  | 'ttft_s'
  | 'ttft_ms'
  | 'session_id'
  | 'end_user'
  | 'tags'
  | 'ref_key'
  | 'version'
  | 'error_type'
  /** Parameters as an object or its JSON. */
  | 'params'
  /** An object, or its JSON, that becomes part of the metadata. */
  | 'metadata'

/** The kind of a span that is not a model call, and its name; undefined if the attributes have none. */
export type SpanDescription = { readonly kind: SpanKind; readonly name: unknown }

/** A convention: the attributes with which a family of emitters describes a model call in a span. */
export type Convention = {
  readonly name: string
  /**
   * Returns true for a model call and false for a span of something else, such as an agent or a tool. Null: the
   * convention does not describe this span.
   */
  readonly isCall: (attributes: Attributes) => boolean | null
  /** Returns the kind and name of a span that is not a call; null if traces do not show it. */
  readonly describe: (attributes: Attributes) => SpanDescription | null
  readonly fields: Partial<Record<CallField, readonly string[]>>
  /** Prefix of attributes that are each a parameter, such as `gen_ai.request.`; with names of the run's `params`. */
  readonly params?: { readonly prefix: string; readonly names: Readonly<Record<string, string>> }
  /** Prefixes of attributes that become metadata without them. */
  readonly metadataPrefixes?: readonly string[]
  readonly content: (attributes: Attributes) => Content
}
