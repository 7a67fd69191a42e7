/** Maximum nesting depth of JSON in requests and files. */
export const maxJsonDepth = 64

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null

type Place = {
  readonly held: object
  readonly depth: number
  readonly name: string
  readonly parent: Place | null
}

function pathOf(deepest: Place): string {
  const names: string[] = []
  for (let at: Place | null = deepest; at?.parent; at = at.parent) names.unshift(at.name)
  return names.join('.')
}

/**
 * Returns the path of the first object or list that is nested deeper than `max` levels, or null. Iterative,
 * because recursion could overflow the stack.
 */
export function pathBeyondDepth(value: unknown, max = maxJsonDepth): string | null {
  const open: Place[] = []
  if (isHolder(value)) open.push({ held: value, depth: 1, name: '', parent: null })
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.depth > max) return pathOf(place)
    for (const [name, held] of Object.entries(place.held))
      if (isHolder(held)) open.push({ held, depth: place.depth + 1, name, parent: place })
  }
  return null
}

export const tooDeepMessage = `Nested deeper than ${maxJsonDepth} levels`

/** Returns the content of a Markdown code block, as models write JSON; other text unchanged. Takes linear time. */
export function withoutFence(text: string): string {
  const trimmed = text.trim()
  const head = trimmed.indexOf('\n')
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || head === -1) return text
  const language = trimmed.slice(3, head).trim().toLowerCase()
  const body = trimmed.slice(head + 1, -3)
  const end = body.lastIndexOf('\n')
  const isFence = (language === '' || language === 'json') && end !== -1 && body.slice(end).trim() === ''
  return isFence ? body.slice(0, end) : text
}
