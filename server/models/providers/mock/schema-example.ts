import type { JsonSchema } from '../../../../contract/models/models.ts'
import { isRecord } from '../../../lib/values/is-record.ts'

/**
 * A schema may contain itself. Below this depth only required properties are filled in; below twice this
 * depth nothing.
 */
const maxDepth = 6
/** Maximum number of values: nested lists become many before they become deep. */
const maxValues = 1000

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  email: 'mock@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function exampleString(schema: JsonSchema): string {
  const known = byFormat[String(schema['format'])]
  if (known !== undefined) return known
  const max = numberOrNull(schema['maxLength']) ?? 4
  const word = 'mock'.slice(0, Math.max(0, max))
  return word.padEnd(Math.min(numberOrNull(schema['minLength']) ?? 0, 10_000), 'x')
}

function exampleNumber(schema: JsonSchema, isInteger: boolean): number {
  const above = numberOrNull(schema['exclusiveMinimum'])
  const below = numberOrNull(schema['exclusiveMaximum'])
  const step = numberOrNull(schema['multipleOf']) ?? (isInteger ? 1 : 0.5)
  const low = numberOrNull(schema['minimum']) ?? (above === null ? null : above + step)
  const high = numberOrNull(schema['maximum']) ?? (below === null ? null : below - step)
  const near = low ?? Math.min(1, high ?? 1)
  const fit = Math.ceil(near / step) * step
  return high !== null && fit > high ? Math.floor(high / step) * step : fit
}

function typeOf(schema: JsonSchema): string {
  const { type } = schema
  if (Array.isArray(type)) return String(type.find((name) => name !== 'null') ?? 'null')
  if (typeof type === 'string') return type
  if (isRecord(schema['properties'])) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

/**
 * Returns an example value of a JSON Schema, always the same: the first of a choice, the minimum of a range.
 * Patterns and conditions such as `if` and `not` are not supported.
 */
export const exampleOf = (root: JsonSchema): unknown => example({ root, count: 0 }, root, 0)

/** The root schema, to which references refer, and the number of values so far. */
type State = { readonly root: JsonSchema; count: number }

function example(state: State, schema: unknown, depth: number): unknown {
  state.count += 1
  if (!isRecord(schema) || depth > 2 * maxDepth || state.count > maxValues) return null
  const preset = presetValue(schema)
  if (preset !== undefined) return preset
  const next = resolveSchema(state.root, schema)
  return next === null ? exampleOfType(state, schema, depth) : example(state, next, depth + 1)
}

/** Returns the value that a schema itself contains; undefined if there is none. */
function presetValue(schema: JsonSchema): unknown {
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  for (const name of ['enum', 'examples']) {
    const values = schema[name]
    if (Array.isArray(values) && values.length > 0) return values[0]
  }
  return undefined
}

/** Returns the schema to which a reference or combination resolves; null for a plain schema. */
function resolveSchema(root: JsonSchema, schema: JsonSchema): JsonSchema | null {
  if (typeof schema['$ref'] === 'string') return resolvePointer(root, schema['$ref'])
  for (const name of ['anyOf', 'oneOf']) {
    const parts = schema[name]
    if (!Array.isArray(parts) || parts.length === 0) continue
    const first = parts.find((part) => isRecord(part) && part['type'] !== 'null')
    return { ...omit(schema, name), ...(isRecord(first) ? first : {}) }
  }
  return Array.isArray(schema['allOf']) ? mergeAllOf(root, schema, schema['allOf']) : null
}

/** Returns the schema to which a JSON pointer refers, or an empty schema. */
function resolvePointer(root: JsonSchema, reference: string): JsonSchema {
  let current: unknown = root
  for (const name of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    current = isRecord(current) ? current[name.replaceAll('~1', '/').replaceAll('~0', '~')] : null
  }
  return isRecord(current) ? current : {}
}

function exampleOfType(state: State, schema: JsonSchema, depth: number): unknown {
  const type = typeOf(schema)
  if (type === 'null') return null
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return exampleNumber(schema, type === 'integer')
  if (type === 'string') return exampleString(schema)
  return type === 'array' ? exampleArray(state, schema, depth) : exampleObject(state, schema, depth)
}

function exampleArray(state: State, schema: JsonSchema, depth: number): unknown[] {
  const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
  const least = Math.max(
    numberOrNull(schema['minItems']) ?? 0,
    depth > maxDepth || !('items' in schema) ? 0 : 1,
  )
  const length = Math.min(Math.max(least, first.length), numberOrNull(schema['maxItems']) ?? 100, 100)
  return Array.from({ length }, (_, index) =>
    example(state, first[index] ?? schema['items'] ?? {}, depth + 1),
  )
}

function exampleObject(state: State, schema: JsonSchema, depth: number): Record<string, unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const names = depth > maxDepth ? required : [...new Set([...Object.keys(properties), ...required])]
  // Wide objects count more: a schema of thousands of names that contains itself reaches the limit sooner.
  state.count += Math.floor(names.length / 50)
  return Object.fromEntries(names.map((name) => [name, example(state, properties[name] ?? {}, depth + 1)]))
}

const omit = (schema: JsonSchema, name: string): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name))

function mergeAllOf(root: JsonSchema, schema: JsonSchema, parts: readonly unknown[]): JsonSchema {
  const all = [
    omit(schema, 'allOf'),
    ...parts
      .filter(isRecord)
      .map((part) => (typeof part['$ref'] === 'string' ? resolvePointer(root, part['$ref']) : part)),
  ]
  const whole: Record<string, unknown> = Object.assign({}, ...all)
  const properties: JsonSchema = Object.assign({}, ...all.map((part) => part['properties']))
  if (Object.keys(properties).length > 0) whole['properties'] = properties
  whole['required'] = all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []))
  return whole
}
