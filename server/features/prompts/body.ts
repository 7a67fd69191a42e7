import type { z } from 'zod'
import type { Variable, VariablesInput } from '../../../contract/prompt.ts'
import { variablesIn } from '../../../contract/template.ts'

/** What is versioned. `variables` is the wire form as JSON, made once when it is written: versions never change. */
export type Body = { readonly content: string; readonly model: string | null; readonly variables: string }

type Declared = z.output<typeof VariablesInput>[number]

/** What somebody declared. A variable that was only found may be sent back as it was read; that declares nothing. */
function declaredOf(given: readonly Declared[]): Omit<Variable, 'used'>[] {
  const declared = given.flatMap(
    (one: Partial<Extract<Declared, { declared?: unknown }>> & { name: string }) =>
      one.declared === false
        ? []
        : [
            {
              name: one.name,
              required: one.required ?? false,
              default: one.default ?? null,
              description: one.description ?? '',
              type: one.type ?? ('string' as const),
              declared: true,
            },
          ],
  )
  return declared.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Found in the template, in its order, then what is declared and not used. */
function merged(content: string, declared: readonly Omit<Variable, 'used'>[]): Variable[] {
  const byName = new Map(declared.map((variable) => [variable.name, variable]))
  const found = variablesIn(content).map((name) => {
    const known = byName.get(name)
    byName.delete(name)
    const unknown = {
      name,
      required: false,
      default: null,
      description: '',
      type: 'string' as const,
      declared: false,
    }
    return { ...(known ?? unknown), used: true }
  })
  return [...found, ...[...byName.values()].map((variable) => ({ ...variable, used: false }))]
}

export function bodyOf(content: string, model: string | null, variables: readonly Declared[]): Body {
  return { content, model, variables: JSON.stringify(merged(content, declaredOf(variables))) }
}

/** Written by `bodyOf`. */
export const variablesOf = (body: Pick<Body, 'variables'>): Variable[] => JSON.parse(body.variables)

export const isSameBody = (a: Body, b: Body): boolean =>
  a.content === b.content && a.model === b.model && a.variables === b.variables
