/** Maximum nesting depth of JSON in requests and files. */
export const maxJsonDepth = 64

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

type JsonNode = {
  readonly value: object
  readonly depth: number
  readonly name: string
  readonly parent: JsonNode | null
}

function pathOf(deepest: JsonNode): string {
  const names: string[] = []
  for (let node: JsonNode | null = deepest; node?.parent; node = node.parent) names.unshift(node.name)
  return names.join('.')
}

/** Returns true if a value has more than this number of levels, which also bound the recursion. */
const hasMoreLevels = (value: unknown, levels: number): boolean =>
  isContainer(value) &&
  (levels === 0 || Object.values(value).some((child) => hasMoreLevels(child, levels - 1)))

/**
 * Returns the path of an object or list that is nested deeper than `max` levels, or null. Iterative,
 * because recursion could overflow the stack.
 */
export function pathBeyondDepth(value: unknown, max = maxJsonDepth): string | null {
  // Most values have few levels, and need no path.
  if (!hasMoreLevels(value, max)) return null
  const stack: JsonNode[] = []
  if (isContainer(value)) stack.push({ value, depth: 1, name: '', parent: null })
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.depth > max) return pathOf(node)
    for (const [name, child] of Object.entries(node.value))
      if (isContainer(child)) stack.push({ value: child, depth: node.depth + 1, name, parent: node })
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
