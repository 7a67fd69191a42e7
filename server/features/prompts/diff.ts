import { diffArrays, diffWordsWithSpace } from 'diff'
import type { DiffLine, PromptDiff } from '../../../contract/prompt-versions.ts'
import { type Body, variablesOf } from './body.ts'

/**
 * Edits after which a comparison is given up and shown as a replacement: the work grows with their square, and
 * everybody else waits meanwhile. A person does not read beyond it anyway.
 */
const mostLineEdits = 2000
const mostWordEdits = 200
/** UTF-16 units of a line that is compared by words. */
const longestLine = 4000

export type Named = { readonly name: string; readonly body: Body }

type Step = { readonly kind: DiffLine['kind']; readonly lines: readonly string[] }

const linesOf = (content: string): string[] => (content === '' ? [] : content.split('\n'))

function stepsOf(from: readonly string[], to: readonly string[]): { steps: Step[]; isCoarse: boolean } {
  const changes = diffArrays([...from], [...to], { maxEditLength: mostLineEdits })
  if (changes === undefined) {
    const steps: Step[] = [
      { kind: 'removed', lines: from },
      { kind: 'added', lines: to },
    ]
    return { steps, isCoarse: true }
  }
  const steps = changes.map(({ added, removed, value }): Step => {
    return { kind: added ? 'added' : removed ? 'removed' : 'same', lines: value }
  })
  return { steps, isCoarse: false }
}

/** The words in which two lines differ; absent when they are too long or have too little in common. */
function partsOf(from: string, to: string): { from: DiffLine['parts']; to: DiffLine['parts'] } {
  if (from.length > longestLine || to.length > longestLine) return { from: undefined, to: undefined }
  const words = diffWordsWithSpace(from, to, { maxEditLength: mostWordEdits })
  if (words === undefined) return { from: undefined, to: undefined }
  const side = (other: 'added' | 'removed', own: 'added' | 'removed') =>
    words.flatMap((word) =>
      word[other] ? [] : [{ kind: word[own] ? own : ('same' as const), text: word.value }],
    )
  return { from: side('added', 'removed'), to: side('removed', 'added') }
}

/** Removed lines and the added ones that take their place are compared word by word, in pairs. */
export function diffLines(from: string, to: string): { lines: DiffLine[]; isCoarse: boolean } {
  const { steps, isCoarse } = stepsOf(linesOf(from), linesOf(to))
  const lines: DiffLine[] = []
  let [fromLine, toLine] = [0, 0]
  steps.forEach(({ kind, lines: texts }, index) => {
    const before = steps[index - 1]
    const after = steps[index + 1]
    texts.forEach((text, at) => {
      if (kind !== 'added') fromLine += 1
      if (kind !== 'removed') toLine += 1
      const partner =
        kind === 'removed' && after?.kind === 'added'
          ? after.lines[at]
          : kind === 'added' && before?.kind === 'removed'
            ? before.lines[at]
            : undefined
      const isPaired = !isCoarse && partner !== undefined
      const pair = isPaired ? (kind === 'removed' ? partsOf(text, partner) : partsOf(partner, text)) : null
      const parts = kind === 'removed' ? pair?.from : pair?.to
      lines.push({
        kind,
        from_line: kind === 'added' ? null : fromLine,
        to_line: kind === 'removed' ? null : toLine,
        text,
        ...(parts !== undefined && { parts }),
      })
    })
  })
  return { lines, isCoarse }
}

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

export const counted = (lines: readonly DiffLine[]) => ({
  added_lines: lines.filter(({ kind }) => kind === 'added').length,
  removed_lines: lines.filter(({ kind }) => kind === 'removed').length,
})

const nothing: Body = { content: '', model: null, variables: '[]' }

export function diffBodies(from: Named | null, to: Named): PromptDiff {
  const before = from?.body ?? nothing
  const { lines, isCoarse } = diffLines(before.content, to.body.content)
  const model = before.model === to.body.model ? null : { from: before.model, to: to.body.model }
  const variables = variableChanges(from?.body ?? null, to.body)
  const isSameContent = before.content === to.body.content
  return {
    from: from?.name ?? 'none',
    to: to.name,
    identical: isSameContent && model === null && before.variables === to.body.variables,
    ...counted(lines),
    coarse: isCoarse,
    lines,
    model,
    variables,
  }
}
