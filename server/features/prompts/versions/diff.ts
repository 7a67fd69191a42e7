import type { PromptDiff } from '../../../../contract/prompts/prompt-versions.ts'
import type { Context } from '../../../lib/context.ts'
import { type Body, variablesOf } from '../state/body.ts'
import type { LineDiff } from './line-diff.ts'

export type NamedBody = { readonly name: string; readonly body: Body }

const emptyBody: Body = { content: '', model: null, variables: '[]' }

/** Compares two texts by lines within limits of time and memory. */
export type CompareLines = (ctx: Context, from: string, to: string) => Promise<LineDiff>

/** Returns the names of variables that were added, removed or declared differently. */
export function variableChanges(from: Body | null, to: Body): PromptDiff['variables'] {
  const byName = (body: Body) => new Map(variablesOf(body).map((variable) => [variable.name, variable]))
  const before = byName(from ?? emptyBody)
  const after = byName(to)
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...after.values()].flatMap((variable) => {
      const previous = before.get(variable.name)
      if (previous === undefined) return []
      const { used: _used, ...declaration } = variable
      const { used: _usedBefore, ...earlier } = previous
      return JSON.stringify(declaration) === JSON.stringify(earlier) ? [] : [variable.name]
    }),
  }
}

export const contentOf = (named: NamedBody | null): string => (named?.body ?? emptyBody).content

/** Returns the difference of two states; `compared` is the difference of their texts. */
export function diffBodies(from: NamedBody | null, to: NamedBody, compared: LineDiff): PromptDiff {
  const before = from?.body ?? emptyBody
  const { lines, isCoarse, added, removed, omitted } = compared
  const model = before.model === to.body.model ? null : { from: before.model, to: to.body.model }
  const variables = variableChanges(from?.body ?? null, to.body)
  const isSameContent = before.content === to.body.content
  return {
    from: from?.name ?? 'none',
    to: to.name,
    identical: isSameContent && model === null && before.variables === to.body.variables,
    added_lines: added,
    removed_lines: removed,
    coarse: isCoarse,
    omitted_lines: omitted,
    lines: [...lines],
    model,
    variables,
  }
}
