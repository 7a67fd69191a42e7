import type { PromptDiff } from '../../../../contract/prompts/prompt-versions.ts'
import type { Context } from '../../../lib/context.ts'
import { type Body, variablesOf } from '../state/body.ts'
import type { LineDiff } from './line-diff.ts'

export type Named = { readonly name: string; readonly body: Body }

/** Compares two texts by lines within limits of time and memory. */
export type CompareLines = (ctx: Context, from: string, to: string) => Promise<LineDiff>

/** Returns the names of variables that were added, removed or declared differently. */
export function variableChanges(from: Body | null, to: Body): PromptDiff['variables'] {
  const before = new Map((from === null ? [] : variablesOf(from)).map((one) => [one.name, one]))
  const after = new Map(variablesOf(to).map((one) => [one.name, one]))
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...after.values()].flatMap((one) => {
      const was = before.get(one.name)
      if (was === undefined) return []
      const { used: _, ...declaration } = one
      const { used: __, ...earlier } = was
      return JSON.stringify(declaration) === JSON.stringify(earlier) ? [] : [one.name]
    }),
  }
}

const nothing: Body = { content: '', model: null, variables: '[]' }
export const contentOf = (named: Named | null): string => (named?.body ?? nothing).content

/** Returns the difference of two states; `compared` is the difference of their texts. */
export function diffBodies(from: Named | null, to: Named, compared: LineDiff): PromptDiff {
  const before = from?.body ?? nothing
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
