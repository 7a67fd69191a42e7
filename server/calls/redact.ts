import type { CallRequest } from './call.ts'

type Value = { readonly name: string; readonly text: string }

/** Shorter values stand in ordinary text by chance. */
const shortest = 4
/** Values times characters: some 50 ms of searching. What would take more is not kept at all. */
const mostWork = 5_000_000
const notKept = '[not kept: too much text to take the values of variables out of]'

/** Every text and number in the variables, under the name a template would find it by; the longest first. */
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

/** `toLowerCase` keeps the length of nearly every text; where it does not, only the exact spelling is found. */
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

/** Returns a function that does the same in every text of a value, names of fields left alone. */
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

/** Takes the values of a call's variables out of texts, in any spelling of case, putting `{{name}}` in their place. */
export function withoutValues(variables: CallRequest['variables']): (text: string) => string {
  const values = valuesOf(variables)
  return (text) => {
    if (values.length * text.length > mostWork) return notKept
    return values.reduce(replaceValue, text)
  }
}
