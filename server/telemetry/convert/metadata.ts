import { maxMetadataBytes } from '../../../contract/runs/run.ts'
import type { Attributes } from '../protocol/values.ts'
import { knownAttributes, metadataPrefixes } from './conventions/conventions.ts'

/** Attributes with texts of prompts and responses. They are never metadata, because capture decides about them. */
const contentNames =
  /^(?:gen_ai\.(?:input|output|prompt|completion|system_instructions|tool\.(?:definitions|call\.(?:arguments|result))|retrieval|evaluation\.explanation|choice|(?:user|system|assistant|tool)\.message)|llm\.(?:input_messages|output_messages|prompts|completions|prompt_template|tools|functions|choices)|input\.|output\.|ai\.(?:prompt|response|result|request|value|values|embedding|embeddings|schema|toolCall|stream)|traceloop\.(?:entity|prompt)|retrieval\.|reranker\.|embedding\.|document\.|message\.|tool\.|exception\.|prompt$|body$)/
/** Ends of the names of attributes with such texts, outside the conventions. */
const contentWords =
  /(?:inputs?|outputs?|messages?|contents?|prompts?|completions?|llm_request|llm_response|request_data|response_data|final_result|tool_call_args|tool_response|events)$|(?:^|[._-])(?:arguments|body|descriptions?|function_call|goal|backstory|instructions?|msg|question|answer|query|statement|texts?)$/i
/** The beginning of an object or list as text: in JSON, or as Python writes it. */
const structuredText = /^\s*(?:\{\s*["'}]|\[\s*["'[{\]\d-])/
/** Attributes that may contain credentials. */
const secretNames =
  /(?:^|[._-])(?:headers?|authorization|cookie|password|passwd|secret|token|api[._-]?key|credentials?)(?:$|[._-])/i

const maxNameLength = 64
const maxTextLength = 256
/** Bytes of the JSON that values may have; the rest is for `dropped_attributes`. */
const budget = maxMetadataBytes - 64

/** Returns the attributes that no field of the run has, limited in size; null without any. */
export function metadataOf(
  attributes: Attributes,
  extra: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const metadata: Record<string, unknown> = {}
  let size = 2
  let dropped = 0
  const add = (name: string, value: unknown) => {
    const short = shortened(value)
    if (short === undefined || Object.hasOwn(metadata, name)) return
    const bytes = Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(short)) + 2
    if (name === '' || name.length > maxNameLength || size + bytes > budget) dropped += 1
    else {
      size += bytes
      Object.defineProperty(metadata, name, { value: short, enumerable: true, configurable: true })
    }
  }
  for (const [name, value] of Object.entries(extra))
    if (!secretNames.test(name) && !isText(name, value)) add(name, value)
  for (const [name, value] of attributes) if (isMetadata(name, value)) add(withoutPrefix(name), value)
  if (dropped > 0) metadata['dropped_attributes'] = dropped
  return Object.keys(metadata).length === 0 ? null : metadata
}

const isMetadata = (name: string, value: unknown): boolean =>
  !knownAttributes.has(name) && !contentNames.test(name) && !secretNames.test(name) && !isText(name, value)

/** Returns true if the name is that of a text of a message. */
const isText = (name: string, value: unknown): boolean => typeof value !== 'number' && contentWords.test(name)

function withoutPrefix(name: string): string {
  const prefix = metadataPrefixes.find((each) => name.startsWith(each))
  return prefix === undefined || name.length === prefix.length ? name : name.slice(prefix.length)
}

/** Shortens texts. Returns undefined for what is not kept: nothing, and structured values, which may contain texts. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string' && structuredText.test(value)) return undefined
  if (typeof value === 'string')
    return value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (!Array.isArray(value)) return undefined
  return value.every((each) => typeof each !== 'object')
    ? value.slice(0, 20).map((each) => shortened(each) ?? null)
    : undefined
}
