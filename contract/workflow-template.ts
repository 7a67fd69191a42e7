import { variablesIn } from './template.ts'

/** What stands between two braces in a workflow; a step's name may hold `-`, which no variable may. */
const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g
const stepOutput = /^steps\.([A-Za-z0-9_-]{1,64})\.output$/

/** Names a run's variables may not have: they stand for what the steps hand on. */
export const isReservedName = (name: string): boolean =>
  name === 'input' || name === 'steps' || name.startsWith('steps.') || name.startsWith('input.')

export type References = {
  /** The run's variables it uses. */
  readonly variables: readonly string[]
  /** The steps whose output it uses. */
  readonly steps: readonly string[]
  readonly usesInput: boolean
  /** Of reserved names, those that mean nothing: `steps.a`, `input.name`. */
  readonly unknown: readonly string[]
}

/** What a template of a workflow refers to: `{{input}}`, `{{steps.<name>.output}}`, and variables of the run. */
export function referencesIn(template: string): References {
  const steps = new Set<string>()
  const unknown = new Set<string>()
  let usesInput = false
  for (const [, name = ''] of template.matchAll(placeholder)) {
    const [, step] = stepOutput.exec(name) ?? []
    if (step !== undefined) steps.add(step)
    else if (name === 'input') usesInput = true
    else if (isReservedName(name)) unknown.add(name)
  }
  const variables = variablesIn(template).filter((name) => !isReservedName(name))
  return { variables, steps: [...steps], usesInput, unknown: [...unknown] }
}
