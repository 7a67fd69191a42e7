import type { DiffParam, PromptDiff } from '../../../../contract/prompts/prompt-diff.ts'
import type { Context } from '../../../lib/context.ts'
import { type Body, isSameBody, paramsOf, typeOf, variablesOf } from '../state/body.ts'
import type { LineDiff } from './line-diff.ts'

export type NamedBody = { readonly name: string; readonly body: Body }

const emptyBody: Body = {
  content: '',
  model: null,
  variables: '[]',
  messages: null,
  params: null,
  has_includes: 0,
}

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

/** Returns the names of parameters that differ, sorted. */
export function paramChanges(from: Body | null, to: Body): DiffParam[] {
  const [before, after] = [paramsOf(from ?? emptyBody), paramsOf(to)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    const [old, value] = [before[name], after[name]]
    if (JSON.stringify(old) === JSON.stringify(value)) return []
    return [{ name, ...(old !== undefined && { from: old }), ...(value !== undefined && { to: value }) }]
  })
}

/** The compared parts of a difference: the texts by line, and the messages if both states are a chat. */
export type Compared = {
  readonly text: LineDiff
  readonly messages: PromptDiff['messages']
  readonly sameAs: string | null
}

/** Returns the difference of two states. */
export function diffBodies(
  from: NamedBody | null,
  to: NamedBody,
  { text, messages, sameAs }: Compared,
): PromptDiff {
  const before = from?.body ?? emptyBody
  const { lines, isCoarse, added, removed, omitted } = text
  const [typeBefore, type] = [typeOf(from?.body ?? to.body), typeOf(to.body)]
  return {
    from: from?.name ?? 'none',
    to: to.name,
    same_as: sameAs,
    identical: isSameBody(before, to.body),
    added_lines: added,
    removed_lines: removed,
    coarse: isCoarse,
    omitted_lines: omitted,
    lines: [...lines],
    type: typeBefore === type ? null : { from: typeBefore, to: type },
    messages,
    params: paramChanges(from?.body ?? null, to.body),
    model: before.model === to.body.model ? null : { from: before.model, to: to.body.model },
    variables: variableChanges(from?.body ?? null, to.body),
  }
}
