import type { ServedPrompt } from './types.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Whether that is a prompt as the service, or the disk, holds it. */
export const isServedPrompt = (value: unknown): value is ServedPrompt =>
  isObject(value) &&
  typeof value['key'] === 'string' &&
  typeof value['version'] === 'string' &&
  typeof value['content'] === 'string' &&
  Array.isArray(value['variables']) &&
  value['variables'].every((variable) => isObject(variable) && typeof variable['name'] === 'string')

/** The prompt of an answer, without members that are not known here; it cannot be changed. Null: it is none. */
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

/** What many callers share, none may change. */
function freeze<Value>(value: Value): Value {
  if (isObject(value) && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}
