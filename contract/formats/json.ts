/** Maximum nesting depth of JSON in requests and files. */
export const maxJsonDepth = 64

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Returns the path of an object or list that is nested deeper than `max` levels; null if there is none. The recursion has at
 * most `max` levels.
 */
export function pathBeyondDepth(value: unknown, max = maxJsonDepth): string | null {
  if (!isContainer(value)) return null
  if (max === 0) return ''
  for (const [index, child] of Object.values(value).entries()) {
    const path = pathBeyondDepth(child, max - 1)
    if (path !== null) return `${Object.keys(value)[index]}${path && '.'}${path}`
  }
  return null
}

export const tooDeepMessage = `Nested deeper than ${maxJsonDepth} levels`

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
