import { variablesIn } from './template.ts'

/** Matches a placeholder of a workflow. A step's name may contain `-`, unlike a variable. */
const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g
const stepOutput = /^steps\.([A-Za-z0-9_-]{1,64})\.output$/

/**
 * Returns true for names that a run's variables may not have: they refer to the input and to step outputs.
 */
export const isReservedName = (name: string): boolean =>
  name === 'input' || name === 'steps' || name.startsWith('steps.') || name.startsWith('input.')

export type References = {
  readonly variables: readonly string[]
  /** Steps whose output the template uses. */
  readonly steps: readonly string[]
  /** Reserved names without a meaning: `steps.a`, `input.name`. */
  readonly unknown: readonly string[]
}

/**
 * Returns the references of a workflow template: `{{input}}`, `{{steps.<name>.output}}`, and variables of the
 * run.
 */
export function referencesIn(template: string): References {
  const steps = new Set<string>()
  const unknown = new Set<string>()
  for (const [, name = ''] of template.matchAll(placeholder)) {
    const [, step] = stepOutput.exec(name) ?? []
    if (step !== undefined) steps.add(step)
    else if (name !== 'input' && isReservedName(name)) unknown.add(name)
  }
  const variables = variablesIn(template).filter((name) => !isReservedName(name))
  return { variables, steps: [...steps], unknown: [...unknown] }
}
