import { invalid } from '../core/errors.ts'
import type { Variable } from '../core/types.ts'
import { toJson } from '../lib/json.ts'

const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g

type Values = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null

/** Looks the full name up among the values first, then segment by segment. */
function findValue(values: Values, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name]
  let found: unknown = values
  for (const part of name.split('.')) {
    if (!isObject(found) || !Object.hasOwn(found, part)) return undefined
    found = found[part]
  }
  return found
}

function stringify(name: string, value: unknown): string {
  if (!isObject(value)) return String(value)
  try {
    const json = toJson(value) ?? String(value)
    // The JSON form of a date is a string, which is inserted without quotes.
    return json.startsWith('"') ? (JSON.parse(json) as string) : json
  } catch (cause) {
    throw invalid(`The variable ${name} cannot be converted to JSON: ${String(cause)}`)
  }
}

/**
 * Fills in a template as the service does. A variable without a value (or null) becomes its declared default;
 * without one the placeholder remains. Placeholders inside values are not replaced.
 * @throws PromptdeckError `Invalid` if a value refers to itself.
 */
export function renderTemplate(
  content: string,
  variables: Values = {},
  declared: readonly Pick<Variable, 'name' | 'default'>[] = [],
): string {
  const defaults = new Map(declared.map((variable) => [variable.name, variable.default]))
  return content.replace(placeholder, (whole: string, name: string) => {
    const value = findValue(variables, name) ?? defaults.get(name)
    return value === undefined || value === null ? whole : stringify(name, value)
  })
}
