import { pathBeyondDepth, tooDeepMessage, withoutFence } from '../../../../contract/formats/json.ts'
import { JsonSchema, type ToolDeclaration, ToolDeclarations } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'

type Read<T> = { readonly value: T; readonly fault: null } | { readonly value: null; readonly fault: string }

function parse(text: string): Read<unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (pathBeyondDepth(value) !== null) throw new Error(tooDeepMessage)
    return { value, fault: null }
  } catch (error) {
    return { value: null, fault: t('playground:json.bad', { reason: String((error as Error).message) }) }
  }
}

/** Unwraps a tool in OpenAI's format, `{type: 'function', function: {…}}`, to the declaration inside. */
function unwrapped(tool: unknown): unknown {
  if (typeof tool !== 'object' || tool === null || !('function' in tool)) return tool
  return tool.function
}

/** Parses a list of tools or a single tool; empty text is an empty list. */
export function readTools(text: string): Read<readonly ToolDeclaration[]> {
  if (text.trim() === '') return { value: [], fault: null }
  const json = parse(text)
  if (json.fault !== null) return json
  const read = ToolDeclarations.safeParse([json.value].flat().map(unwrapped))
  if (read.success) return { value: read.data, fault: null }
  const { path, message } = read.error.issues[0] ?? { path: [], message: '' }
  return { value: null, fault: path.length === 0 ? message : `${path.join('.')}: ${message}` }
}

/** Parses the schema of the answer; null for empty text, which allows any answer. */
export function readSchema(text: string): Read<JsonSchema | null> {
  if (text.trim() === '') return { value: null, fault: null }
  const json = parse(text)
  if (json.fault !== null) return json
  const read = JsonSchema.safeParse(json.value)
  return read.success && !Array.isArray(json.value)
    ? { value: read.data, fault: null }
    : { value: null, fault: t('playground:json.no_object') }
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
