/** What stands between two braces: `{{name}}`, `{{ customer.name }}`. */
const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g
export const variableName = /^[\w.]+$/

/** What every object inherits: as a variable it would only ever be an attempt to reach behind the values. */
const inherited: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The distinct variables of a template, in the order they appear. */
export function variablesIn(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))]
}

/** Those of the names that reach for what objects inherit. */
export function unsafeNames(names: readonly string[]): string[] {
  return names.filter((name) => name.split('.').some((part) => inherited.has(part)))
}

type Values = Readonly<Record<string, unknown>>
export type Rendered = {
  readonly text: string
  /** Variables without a value: they were left as they are. */
  readonly missing: readonly string[]
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null

/** An own property of that name, else an own property per part of it; undefined when there is none. */
function lookUp(values: Values, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name]
  let value: unknown = values
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

const shown = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : String(value))

/**
 * Fills a template. Only own properties count, so nothing inherited can be read; a variable without a value or default
 * is left as it is, and what a value holds is never read as a template again.
 */
export function render(
  template: string,
  values: Values,
  declared: readonly { readonly name: string; readonly default?: unknown }[] = [],
): Rendered {
  const defaults = new Map(declared.map((variable) => [variable.name, variable.default ?? undefined]))
  const missing = new Set<string>()
  const text = template.replace(placeholder, (whole: string, name: string) => {
    const value = lookUp(values, name) ?? defaults.get(name)
    if (value !== undefined) return shown(value)
    missing.add(name)
    return whole
  })
  return { text, missing: [...missing] }
}

/** Whether the rendered text has at most `most` characters; found out without making it. */
export function fitsWhenRendered(
  template: string,
  values: Values,
  declared: readonly { readonly name: string; readonly default?: unknown }[],
  most: number,
): boolean {
  const times = new Map<string, number>()
  for (const [, name = ''] of template.matchAll(placeholder)) times.set(name, (times.get(name) ?? 0) + 1)
  let length = template.length
  for (const [name, count] of times) {
    if (length - template.length > most) return false
    const whole = `{{${name}}}`
    // The braces may stand further apart, never closer.
    length += (render(whole, values, declared).text.length - whole.length) * count
  }
  return length <= most
}
