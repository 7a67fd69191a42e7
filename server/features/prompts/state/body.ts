import type { z } from 'zod'
import { variablesIn } from '../../../../contract/formats/template.ts'
import type { Variable, VariablesInput } from '../../../../contract/prompts/prompt.ts'

/**
 * The versioned part of a prompt. `variables` is the wire form as JSON, computed once, because versions never
 * change.
 */
export type Body = { readonly content: string; readonly model: string | null; readonly variables: string }

type Declared = z.output<typeof VariablesInput>[number]

/**
 * Returns the declared variables. A variable that was only found in the text may be sent back without
 * declaring it.
 */
function declaredOf(variables: readonly Declared[]): Omit<Variable, 'used'>[] {
  const declared = variables.flatMap(
    (variable: Partial<Extract<Declared, { declared?: unknown }>> & { name: string }) =>
      variable.declared === false
        ? []
        : [
            {
              name: variable.name,
              required: variable.required ?? false,
              default: variable.default ?? null,
              description: variable.description ?? '',
              type: variable.type ?? ('string' as const),
              declared: true,
            },
          ],
  )
  return declared.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the variables of the template in its order, then the declared ones that it does not use. */
function mergedVariables(content: string, declared: readonly Omit<Variable, 'used'>[]): Variable[] {
  const byName = new Map(declared.map((variable) => [variable.name, variable]))
  const used = variablesIn(content).map((name) => {
    const known = byName.get(name)
    byName.delete(name)
    const undeclared = {
      name,
      required: false,
      default: null,
      description: '',
      type: 'string' as const,
      declared: false,
    }
    return { ...(known ?? undeclared), used: true }
  })
  return [...used, ...[...byName.values()].map((variable) => ({ ...variable, used: false }))]
}

/** Returns the stored form of a text with its declared variables. */
export function bodyOf(content: string, model: string | null, variables: readonly Declared[]): Body {
  return { content, model, variables: JSON.stringify(mergedVariables(content, declaredOf(variables))) }
}

/** Parses the variables that `bodyOf` stored. */
export const variablesOf = (body: Pick<Body, 'variables'>): Variable[] => JSON.parse(body.variables)

export const isSameBody = (a: Body, b: Body): boolean =>
  a.content === b.content && a.model === b.model && a.variables === b.variables
