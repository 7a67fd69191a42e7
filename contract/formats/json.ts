/** Maximum nesting depth of JSON in requests and files. */
export const maxJsonDepth = 64
/** Maximum number of members of an object in requests: unlike long texts, many names take much processor time. */
const maxJsonMembers = 10_000

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** A value that exceeds a limit: its path, and the reason. */
export type JsonFault = { readonly path: string; readonly message: string }

/** Returns the first part of a value that exceeds a limit; null if there is none. The recursion has at most `levels` levels. */
function faultIn(value: unknown, levels: number, isRequest: boolean): JsonFault | null {
  if (isRequest && (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY))
    return { path: '', message: tooLargeMessage }
  if (!isContainer(value)) return null
  if (levels === 0) return { path: '', message: tooDeepMessage }
  if (isRequest && !Array.isArray(value) && Object.keys(value).length > maxJsonMembers)
    return { path: '', message: tooManyMembersMessage }
  for (const [index, child] of Object.values(value).entries()) {
    const fault = faultIn(child, levels - 1, isRequest)
    if (fault === null) continue
    return { ...fault, path: `${Object.keys(value)[index]}${fault.path && '.'}${fault.path}` }
  }
  return null
}

/** Returns the first part of the body of a request that exceeds a limit. */
export const jsonFault = (body: unknown): JsonFault | null => faultIn(body, maxJsonDepth, true)

/** Returns the path of an object or list that is nested deeper than `max` levels; null if there is none. */
export const pathBeyondDepth = (value: unknown, max = maxJsonDepth): string | null =>
  faultIn(value, max, false)?.path ?? null

export const tooDeepMessage = `Nested deeper than ${maxJsonDepth} levels`
/** `JSON.parse` makes it Infinity, which would be stored as null. */
const tooLargeMessage = 'A number beyond 1.8e308'
const tooManyMembersMessage = `More than ${maxJsonMembers} members`

/** Returns the content of a Markdown code block with JSON; other text unchanged. Takes linear time. */
export function withoutFence(text: string): string {
  const trimmed = text.trim()
  const firstLineEnd = trimmed.indexOf('\n')
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || firstLineEnd === -1) return text
  const language = trimmed.slice(3, firstLineEnd).trim().toLowerCase()
  const body = trimmed.slice(firstLineEnd + 1, -3)
  const end = body.lastIndexOf('\n')
  const isFence = (language === '' || language === 'json') && end !== -1 && body.slice(end).trim() === ''
  return isFence ? body.slice(0, end) : text
}
