import { readMessages } from '../core/messages.ts'
import type { ServedPrompt } from '../core/types.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Members that may be missing: older services and older cached copies have no chat prompts and parameters. */
type Added = 'type' | 'messages' | 'params'
/** A prompt as the service sends it, or as the disk cache contains it. */
export type RawPrompt = Omit<ServedPrompt, Added> & { readonly [Name in Added]?: unknown }

/** Returns true for a prompt in the form of the service and of the disk cache. */
export const isServedPrompt = (value: unknown): value is RawPrompt =>
  isObject(value) &&
  typeof value['key'] === 'string' &&
  typeof value['version'] === 'string' &&
  typeof value['content'] === 'string' &&
  readMessages(value['messages']) !== undefined &&
  Array.isArray(value['variables']) &&
  value['variables'].every((variable) => isObject(variable) && typeof variable['name'] === 'string')

/** Returns the type, messages and parameters of a prompt. Without messages it is a text. */
export function addedMembers(value: Pick<RawPrompt, 'messages' | 'params'>): Pick<ServedPrompt, Added> {
  const messages = readMessages(value.messages) ?? null
  const params = isObject(value.params) && !Array.isArray(value.params) ? value.params : {}
  return { type: messages === null ? 'text' : 'chat', messages: freeze(messages), params: freeze(params) }
}

/** Parses and freezes a prompt, without unknown members. Returns null if it is invalid or has another key. */
export function readServed(value: unknown, key: string | null, etag: string | null): ServedPrompt | null {
  if (!isServedPrompt(value) || (key !== null && value.key !== key)) return null
  return Object.freeze({
    key: value.key,
    version: value.version,
    env: value.env,
    model: value.model ?? null,
    content: value.content,
    ...addedMembers(value),
    variables: freeze(value.variables),
    etag: value.etag ?? etag,
  })
}

/** Freezes deeply, because many callers share the value. */
function freeze<Value>(value: Value): Value {
  if (isObject(value) && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}
