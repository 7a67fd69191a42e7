import type { CallRequest } from './call.ts'

type Value = { readonly name: string; readonly text: string }

/** Characters. A shorter value also occurs in ordinary text by chance. */
const shortest = 4
/** Values times characters, about 50 ms of searching. Text that would take longer is not stored. */
const mostWork = 5_000_000
const notKept = '[not kept: too much text to take the values of variables out of]'

/**
 * Returns every text and number in the variables with the name by which a template refers to it, longest
 * first.
 */
function valuesOf(variables: CallRequest['variables']): Value[] {
  const found: Value[] = []
  const walk = (name: string, value: unknown) => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value)
      const escaped = JSON.stringify(text).slice(1, -1)
      for (const form of new Set([text.trim(), escaped.trim()]))
        if (form.length >= shortest) found.push({ name, text: form })
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, held] of Object.entries(value)) walk(`${name}.${key}`, held)
    }
  }
  for (const [name, value] of Object.entries(variables)) walk(name, value)
  return found.sort((a, b) => b.text.length - a.text.length)
}

/**
 * Replaces a value, ignoring case. If `toLowerCase` changes the length of a text, only exact matches are
 * replaced.
 */
function replaceValue(text: string, { name, text: value }: Value): string {
  const placeholder = `{{${name}}}`
  const [lower, wanted] = [text.toLowerCase(), value.toLowerCase()]
  if (lower.length !== text.length || wanted.length !== value.length) {
    return text.replaceAll(value, () => placeholder)
  }
  let result = ''
  let from = 0
  for (;;) {
    const at = lower.indexOf(wanted, from)
    if (at === -1) return from === 0 ? text : result + text.slice(from)
    result += text.slice(from, at) + placeholder
    from = at + wanted.length
  }
}

/** Returns a function that replaces the values in every text of a JSON value. Field names are not changed. */
export function withoutValuesIn(variables: CallRequest['variables']): (value: unknown) => unknown {
  const count = valuesOf(variables).length
  const without = withoutValues(variables)
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return without(value)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, walk(held)]))
  }
  return (value) => {
    if (value === null || value === undefined) return value
    return count * JSON.stringify(value).length > mostWork ? notKept : walk(value)
  }
}

/**
 * Returns a function that replaces the values of a call's variables with `{{name}}` in a text, ignoring case.
 */
export function withoutValues(variables: CallRequest['variables']): (text: string) => string {
  const values = valuesOf(variables)
  return (text) => {
    if (values.length * text.length > mostWork) return notKept
    return values.reduce(replaceValue, text)
  }
}
