import type { ServedPrompt } from '../core/types.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Returns true for a prompt in the form of the service and of the disk cache. */
export const isServedPrompt = (value: unknown): value is ServedPrompt =>
  isObject(value) &&
  typeof value['key'] === 'string' &&
  typeof value['version'] === 'string' &&
  typeof value['content'] === 'string' &&
  Array.isArray(value['variables']) &&
  value['variables'].every((variable) => isObject(variable) && typeof variable['name'] === 'string')

/** Parses and freezes a prompt, without unknown members. Returns null if it is invalid or has another key. */
export function readServed(value: unknown, key: string | null, etag: string | null): ServedPrompt | null {
  if (!isServedPrompt(value) || (key !== null && value.key !== key)) return null
  return Object.freeze({
    key: value.key,
    version: value.version,
    env: value.env,
    model: value.model ?? null,
    content: value.content,
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
