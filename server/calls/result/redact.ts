import type { CallRequest } from '../request/call.ts'

type Value = { readonly name: string; readonly text: string }

/** Characters. A shorter value also occurs in ordinary text by chance. */
const minLength = 4
/** Number of values times characters: about 50 ms of searching. Text that would take longer is not stored. */
const maxWork = 5_000_000
const notStored = '[not stored: too long to remove the values of variables]'

/**
 * Returns every text and number in the variables with the name by which a template refers to it, longest
 * first.
 */
function valuesOf(variables: CallRequest['variables']): Value[] {
  return Object.entries(variables)
    .flatMap(([name, value]) => valuesIn(name, value))
    .sort((a, b) => b.text.length - a.text.length)
}

function valuesIn(name: string, value: unknown): Value[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => valuesIn(`${name}.${key}`, item))
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return []
  const text = String(value)
  const escaped = JSON.stringify(text).slice(1, -1)
  return [...new Set([text.trim(), escaped.trim()])]
    .filter((spelling) => spelling.length >= minLength)
    .map((spelling) => ({ name, text: spelling }))
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
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return without(value)
    if (Array.isArray(value)) return value.map(redact)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(item)]))
  }
  return (value) => {
    if (value === null || value === undefined) return value
    return count * JSON.stringify(value).length > maxWork ? notStored : redact(value)
  }
}

/**
 * Returns a function that replaces the values of a call's variables with `{{name}}` in a text, ignoring case.
 */
export function withoutValues(variables: CallRequest['variables']): (text: string) => string {
  const values = valuesOf(variables)
  return (text) => {
    if (values.length * text.length > maxWork) return notStored
    return values.reduce(replaceValue, text)
  }
}
