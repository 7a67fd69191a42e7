/** Matches `{{name}}` and `{{ customer.name }}`. */
const variablePattern = /\{\{\s*([\w.]+)\s*\}\}/g
export const variableName = /^[\w.]+$/

/** Names that could give access to prototypes. They are rejected as variables or parts of variables. */
const unsafeParts: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns the distinct variables of a template, in order of appearance. */
export function variablesIn(template: string): string[] {
  return [...new Set([...template.matchAll(variablePattern)].map(([, name = '']) => name))]
}

export function unsafeNames(names: readonly string[]): string[] {
  return names.filter((name) => name.split('.').some((part) => unsafeParts.has(part)))
}

type Values = Readonly<Record<string, unknown>>
export type Rendered = {
  readonly text: string
  /** Variables without a value, which are not replaced. */
  readonly missing: readonly string[]
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null

/** Returns the own property of that name, else the property at that dotted path, or undefined. */
function lookUp(values: Values, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name]
  let value: unknown = values
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

const toText = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : String(value))

/**
 * Renders a template. Only own properties are read, so nothing inherited is reachable. A variable without a
 * value or default is not replaced. Values are not rendered as templates themselves.
 */
export function render(
  template: string,
  values: Values,
  declared: readonly { readonly name: string; readonly default?: unknown }[] = [],
): Rendered {
  const defaults = new Map(declared.map((variable) => [variable.name, variable.default ?? undefined]))
  const missing = new Set<string>()
  const text = template.replace(variablePattern, (whole: string, name: string) => {
    const value = lookUp(values, name) ?? defaults.get(name)
    if (value !== undefined) return toText(value)
    missing.add(name)
    return whole
  })
  return { text, missing: [...missing] }
}

/**
 * Returns true if the rendered text has at most `maxLength` UTF-16 code units, without rendering it. The estimate is
 * too high by the spaces within braces, so a text just below the limit may return false.
 */
export function fitsWhenRendered(
  template: string,
  values: Values,
  declared: readonly { readonly name: string; readonly default?: unknown }[],
  maxLength: number,
): boolean {
  const counts = new Map<string, number>()
  for (const [, name = ''] of template.matchAll(variablePattern))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  let length = template.length
  for (const [name, count] of counts) {
    // Later values can shorten the text by at most the length of the template.
    if (length - template.length > maxLength) return false
    const whole = `{{${name}}}`
    // `{{ name }}` may contain spaces, which are not subtracted: the estimate is never below the actual length.
    length += (render(whole, values, declared).text.length - whole.length) * count
  }
  return length <= maxLength
}
