import { fitsWhenRendered, render } from '../../../../contract/formats/template.ts'
import type { When } from '../../../../contract/workflows/workflow-step.ts'
import { StepError } from './errors.ts'

/** Maximum length in UTF-16 code units: a step that repeats its input could otherwise grow without limit. */
export const maxText = 1024 * 1024

/** Returns the variable of a step's output. `-` becomes `_`; validation ensures that the result is unique. */
const variableOf = (step: string): string => `steps.${step.replaceAll('-', '_')}.output`
const stepOutput = /\{\{\s*steps\.([A-Za-z0-9_-]+)\.output\s*\}\}/g

/** Returns the template with step outputs renamed to valid variable names. */
export const plainTemplate = (template: string): string =>
  template.replace(stepOutput, (_whole, step: string) => `{{${variableOf(step)}}}`)

export type Values = Readonly<Record<string, unknown>>

/** Returns all values that a step's template may use, by full name. */
export const valuesFor = (
  variables: Values,
  input: string,
  outputs: ReadonlyMap<string, string>,
): Values => ({
  ...variables,
  ...Object.fromEntries([...outputs].map(([step, output]) => [variableOf(step), output])),
  input,
})

/** Renders a template. Throws a `StepError` if the result would be too large. */
export function fill(template: string, values: Values): string {
  const plain = plainTemplate(template)
  if (!fitsWhenRendered(plain, values, [], maxText))
    throw new StepError('too_large', 'The text would be larger than 1 MiB')
  return render(plain, values).text
}

const falsy = new Set(['', 'false', '0', 'no'])

const numberOf = (text: string, side: string): number => {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw new StepError('condition', `${side} is not a number: ${text.slice(0, 80)}`)
  return number
}

/** Evaluates a condition. Throws a `StepError` if a value to compare is not a number. */
export function isTrue(when: When, values: Values): boolean {
  if (typeof when === 'string') return !falsy.has(fill(when, values).trim().toLowerCase())
  const value = fill(when.value, values)
  const to = fill(when.to ?? '', values)
  switch (when.op) {
    case 'equals':
      return value === to
    case 'not_equals':
      return value !== to
    case 'contains':
      return value.includes(to)
    case 'not_contains':
      return !value.includes(to)
    case 'greater':
      return numberOf(value, 'value') > numberOf(to, 'to')
    case 'less':
      return numberOf(value, 'value') < numberOf(to, 'to')
    case 'is_empty':
      return value.trim() === ''
    case 'not_empty':
      return value.trim() !== ''
  }
}
