import type { JsonSchema } from '../../../contract/models.ts'

/**
 * A schema may contain itself. Below this depth only required properties are filled in; below twice this
 * depth nothing.
 */
const deep = 6
/** Maximum number of values: nested lists become many before they become deep. */
const most = 1000

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

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function text(schema: JsonSchema): string {
  const known = byFormat[String(schema['format'])]
  if (known !== undefined) return known
  const max = number(schema['maxLength']) ?? 4
  const word = 'mock'.slice(0, Math.max(0, max))
  return word.padEnd(Math.min(number(schema['minLength']) ?? 0, 10_000), 'x')
}

function amount(schema: JsonSchema, isInteger: boolean): number {
  const above = number(schema['exclusiveMinimum'])
  const below = number(schema['exclusiveMaximum'])
  const step = number(schema['multipleOf']) ?? (isInteger ? 1 : 0.5)
  const low = number(schema['minimum']) ?? (above === null ? null : above + step)
  const high = number(schema['maximum']) ?? (below === null ? null : below - step)
  const near = low ?? Math.min(1, high ?? 1)
  const fit = Math.ceil(near / step) * step
  return high !== null && fit > high ? Math.floor(high / step) * step : fit
}

function typeOf(schema: JsonSchema): string {
  const { type } = schema
  if (Array.isArray(type)) return String(type.find((it) => it !== 'null') ?? 'null')
  if (typeof type === 'string') return type
  if (isObject(schema['properties'])) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

/**
 * Returns an example value of a JSON Schema, always the same: the first of a choice, the minimum of a range.
 * Patterns and conditions such as `if` and `not` are not supported.
 */
export function instanceOf(root: JsonSchema): unknown {
  const find = (reference: string): JsonSchema => {
    const path = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
    let at: unknown = root
    for (const name of path) at = isObject(at) ? at[name.replaceAll('~1', '/').replaceAll('~0', '~')] : null
    return isObject(at) ? at : {}
  }
  let count = 0
  const make = (schema: unknown, depth: number): unknown => {
    count += 1
    if (!isObject(schema) || depth > 2 * deep || count > most) return null
    if ('const' in schema) return schema['const']
    if ('default' in schema) return schema['default']
    for (const choice of ['enum', 'examples']) {
      const values = schema[choice]
      if (Array.isArray(values) && values.length > 0) return values[0]
    }
    if (typeof schema['$ref'] === 'string') return make(find(schema['$ref']), depth + 1)
    for (const choice of ['anyOf', 'oneOf']) {
      const parts = schema[choice]
      if (!Array.isArray(parts) || parts.length === 0) continue
      const plain = parts.find((part) => isObject(part) && part['type'] !== 'null')
      return make({ ...omit(schema, choice), ...(isObject(plain) ? plain : {}) }, depth + 1)
    }
    if (Array.isArray(schema['allOf'])) return make(joined(schema, schema['allOf'], find), depth + 1)
    return ofType(schema, depth)
  }
  const ofType = (schema: JsonSchema, depth: number): unknown => {
    const type = typeOf(schema)
    if (type === 'null') return null
    if (type === 'boolean') return true
    if (type === 'integer' || type === 'number') return amount(schema, type === 'integer')
    if (type === 'string') return text(schema)
    if (type === 'array') {
      const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
      const least = Math.max(number(schema['minItems']) ?? 0, depth > deep || !('items' in schema) ? 0 : 1)
      const length = Math.min(Math.max(least, first.length), number(schema['maxItems']) ?? 100, 100)
      return Array.from({ length }, (_, at) => make(first[at] ?? schema['items'] ?? {}, depth + 1))
    }
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
    const names = depth > deep ? required : [...new Set([...Object.keys(properties), ...required])]
    // Wide objects count more: a schema of thousands of names that contains itself reaches the limit sooner.
    count += Math.floor(names.length / 50)
    return Object.fromEntries(names.map((name) => [name, make(properties[name] ?? {}, depth + 1)]))
  }
  return make(root, 0)
}

const omit = (schema: JsonSchema, name: string): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name))

/** Merges the parts of `allOf` into one schema. */
function joined(
  schema: JsonSchema,
  parts: readonly unknown[],
  find: (ref: string) => JsonSchema,
): JsonSchema {
  const all = [
    omit(schema, 'allOf'),
    ...parts.filter(isObject).map((part) => (typeof part['$ref'] === 'string' ? find(part['$ref']) : part)),
  ]
  const whole: Record<string, unknown> = Object.assign({}, ...all)
  const properties: JsonSchema = Object.assign({}, ...all.map((part) => part['properties']))
  if (Object.keys(properties).length > 0) whole['properties'] = properties
  whole['required'] = all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []))
  return whole
}
