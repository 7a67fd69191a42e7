import { maxParamsBytes } from '../../../contract/runs/run.ts'

const maxNameLength = 128

/**
 * Names of parameters that contain texts, which are content: capture decides about it. Instrumentation records all
 * arguments of a call as its parameters.
 */
const contentNames =
  /(?:inputs?|outputs?|messages?|contents?|prompts?|instructions?|descriptions?|documents?|quer(?:y|ies)|questions?|texts?|system|suffix|tools|functions|prediction|parts)$/i
const secretNames =
  /key|token$|authorization|header|cookie|password|passwd|secret|credential|(?:^|[._-])(?:auth|bearer)$/i

const isKept = (name: string, value: unknown): boolean =>
  name.length <= maxNameLength &&
  name !== '__proto__' &&
  !secretNames.test(name) &&
  (typeof value === 'number' || typeof value === 'boolean' || !contentNames.test(name))

/** Returns the parameters of a call without texts and credentials, at any depth; null without any, or if they are too large. */
export function paramsOf(params: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const kept = membersOf(params)
  const size = Buffer.byteLength(JSON.stringify(kept))
  return Object.keys(kept).length === 0 || size > maxParamsBytes ? null : kept
}

const membersOf = (value: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => isKept(name, each))
      .map(([name, each]) => [name, cleaned(each)]),
  )

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  return typeof value === 'object' && value !== null ? membersOf(value) : value
}
