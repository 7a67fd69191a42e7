import { pathBeyondDepth, tooDeepMessage, withoutFence } from '../../../contract/json.ts'
import { JsonSchema, type ToolDeclaration, ToolDeclarations } from '../../../contract/models.ts'
import { t } from '../../lib/i18n.ts'

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

/** `{type: 'function', function: {…}}`, as OpenAI's documents write a tool, is the declaration inside. */
function unwrapped(tool: unknown): unknown {
  if (typeof tool !== 'object' || tool === null || !('function' in tool)) return tool
  return tool.function
}

/** A list of tools, or one alone. Nothing typed: none. */
export function readTools(text: string): Read<readonly ToolDeclaration[]> {
  if (text.trim() === '') return { value: [], fault: null }
  const json = parse(text)
  if (json.fault !== null) return json
  const read = ToolDeclarations.safeParse([json.value].flat().map(unwrapped))
  if (read.success) return { value: read.data, fault: null }
  const { path, message } = read.error.issues[0] ?? { path: [], message: '' }
  return { value: null, fault: path.length === 0 ? message : `${path.join('.')}: ${message}` }
}

/** The schema of the answer. Nothing typed: null, any answer will do. */
export function readSchema(text: string): Read<JsonSchema | null> {
  if (text.trim() === '') return { value: null, fault: null }
  const json = parse(text)
  if (json.fault !== null) return json
  const read = JsonSchema.safeParse(json.value)
  return read.success && !Array.isArray(json.value)
    ? { value: read.data, fault: null }
    : { value: null, fault: t('playground:json.no_object') }
}

/** What the text holds when it is a JSON object or list, alone or fenced as models like to; undefined otherwise. */
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
