import type { CallRequest } from '../request/call.ts'

type Value = { readonly name: string; readonly text: string }

/** Characters. A shorter value also occurs in ordinary text by chance. */
const minLength = 4
/** Number of values times characters: at most about 100 ms of searching. Text that would take longer is not stored. */
const maxWork = 20_000_000
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

/** Characters by which names may lengthen texts: a name can be longer than its value, and contain other values. */
const maxGrowth = 1_048_576

/** The remaining work and growth, which several texts share. If one is negative, no further text is stored. */
type Budget = { work: number; growth: number }

const newBudget = (): Budget => ({ work: maxWork, growth: maxGrowth })
const isSpent = ({ work, growth }: Budget): boolean => work < 0 || growth < 0

/**
 * Replaces a value, ignoring case: `lower` is the text in lower case. If that changes the length, only exact matches are
 * replaced.
 */
function replaceValue(text: string, lower: string, { name, text: value }: Value, budget: Budget): string {
  const placeholder = `{{${name}}}`
  const wanted = value.toLowerCase()
  const isFolded = lower.length === text.length && wanted.length === value.length
  const parts = isFolded ? lower.split(wanted) : text.split(value)
  budget.work -= text.length + 1
  budget.growth -= (parts.length - 1) * Math.max(0, placeholder.length - value.length)
  if (parts.length === 1 || budget.growth < 0) return text
  let end = -value.length
  const slice = ({ length }: string): string => {
    const from = end + value.length
    end = from + length
    return text.slice(from, end)
  }
  return parts.map(slice).join(placeholder)
}

function replaceValues(values: readonly Value[], text: string, budget: Budget): string {
  let rest = text
  let lower = text.toLowerCase()
  for (const value of values) {
    const replaced = replaceValue(rest, lower, value, budget)
    if (isSpent(budget)) return notStored
    if (replaced !== rest) lower = replaced.toLowerCase()
    rest = replaced
  }
  return rest
}

/**
 * Returns a function that replaces the values in every text of JSON values, which share a budget. Field names are not
 * changed.
 */
export function withoutValuesIn(variables: CallRequest['variables']): (value: unknown) => unknown {
  const values = valuesOf(variables)
  const budget = newBudget()
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceValues(values, value, budget)
    if (Array.isArray(value)) return value.map(redact)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(item)]))
  }
  return (value) => {
    const result = redact(value)
    return isSpent(budget) && result !== null ? notStored : result
  }
}

/**
 * Returns a function that replaces the values of a call's variables with `{{name}}` in a text, ignoring case.
 */
export function withoutValues(variables: CallRequest['variables']): (text: string) => string {
  const values = valuesOf(variables)
  return (text) => replaceValues(values, text, newBudget())
}
