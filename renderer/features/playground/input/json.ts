import { pathBeyondDepth, tooDeepMessage, withoutFence } from '../../../../contract/formats/json.ts'
import { JsonSchema, type ToolDeclaration, ToolDeclarations } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'

type Parsed<T> =
  | { readonly value: T; readonly error: null }
  | { readonly value: null; readonly error: string }

function parse(text: string): Parsed<unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (pathBeyondDepth(value) !== null) throw new Error(tooDeepMessage)
    return { value, error: null }
  } catch (error) {
    return { value: null, error: t('playground:json.bad', { reason: String((error as Error).message) }) }
  }
}

/** Unwraps a tool in OpenAI's format, `{type: 'function', function: {…}}`, to the declaration inside. */
function unwrapped(tool: unknown): unknown {
  if (typeof tool !== 'object' || tool === null || !('function' in tool)) return tool
  return tool.function
}

/** Parses a list of tools or a single tool; empty text is an empty list. */
export function parseTools(text: string): Parsed<readonly ToolDeclaration[]> {
  if (text.trim() === '') return { value: [], error: null }
  const json = parse(text)
  if (json.error !== null) return json
  const parsed = ToolDeclarations.safeParse([json.value].flat().map(unwrapped))
  if (parsed.success) return { value: parsed.data, error: null }
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: '' }
  return { value: null, error: path.length === 0 ? message : `${path.join('.')}: ${message}` }
}

/** Parses the schema of the response; null for empty text, which allows any response. */
export function parseSchema(text: string): Parsed<JsonSchema | null> {
  if (text.trim() === '') return { value: null, error: null }
  const json = parse(text)
  if (json.error !== null) return json
  const parsed = JsonSchema.safeParse(json.value)
  return parsed.success && !Array.isArray(json.value)
    ? { value: parsed.data, error: null }
    : { value: null, error: t('playground:json.no_object') }
}

/** Returns the JSON object or list in a text, with or without a code fence; undefined if there is none. */
export function jsonIn(text: string): unknown {
  const bare = withoutFence(text)
  if (!/^\s*[[{]/.test(bare)) return undefined
  try {
    const value: unknown = JSON.parse(bare)
    return pathBeyondDepth(value) === null ? value : undefined
  } catch {
    return undefined
  }
}
