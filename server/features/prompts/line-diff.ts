import { diffArrays, diffWordsWithSpace } from 'diff'
import type { DiffLine } from '../../../contract/prompt-versions.ts'

/** Edits after which texts are shown as replaced: the work grows with the square of the edits. */
const mostLineEdits = 2000
const mostWordEdits = 200
/** UTF-16 units of a line that is compared by words. */
const longestLine = 4000
/** Milliseconds for finding the lines, and for comparing them by words. */
const mostMs = 1000
/** Lines of a reply. Beyond it unchanged lines far from a change are left out, then the rest. */
const mostLines = 20_000
/** Unchanged lines that are kept before and after a change. */
const contextLines = 3

export type LineDiff = {
  readonly lines: readonly DiffLine[]
  /** Too different to compare: shown as replaced. */
  readonly isCoarse: boolean
  readonly added: number
  readonly removed: number
  /** Lines that are not in `lines`. */
  readonly omitted: number
}

type Step = { readonly kind: DiffLine['kind']; readonly lines: readonly string[] }

const linesOf = (content: string): string[] => (content === '' ? [] : content.split('\n'))

const replacing = (from: readonly string[], to: readonly string[]): Step[] => [
  { kind: 'removed', lines: from },
  { kind: 'added', lines: to },
]

function stepsOf(from: readonly string[], to: readonly string[]): { steps: Step[]; isCoarse: boolean } {
  const changes = diffArrays([...from], [...to], { maxEditLength: mostLineEdits, timeout: mostMs })
  if (changes === undefined) return { steps: replacing(from, to), isCoarse: true }
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

/** Lines with their numbers; removed lines and the added ones in their place are compared by words, in pairs. */
function numbered(steps: readonly Step[], isCoarse: boolean): DiffLine[] {
  const deadline = performance.now() + mostMs
  const lines: DiffLine[] = []
  let [fromLine, toLine] = [0, 0]
  const partner = (index: number, at: number): string | undefined => {
    const [before, step, after] = [steps[index - 1], steps[index], steps[index + 1]]
    if (step?.kind === 'removed' && after?.kind === 'added') return after.lines[at]
    return step?.kind === 'added' && before?.kind === 'removed' ? before.lines[at] : undefined
  }
  steps.forEach(({ kind, lines: texts }, index) => {
    texts.forEach((text, at) => {
      if (kind !== 'added') fromLine += 1
      if (kind !== 'removed') toLine += 1
      const other = isCoarse || performance.now() > deadline ? undefined : partner(index, at)
      const pair =
        other === undefined ? null : kind === 'removed' ? partsOf(text, other) : partsOf(other, text)
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
  return lines
}

/** The lines of a reply: all of them, or those around changes. */
function shownOf(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= mostLines) return lines
  const near = new Set<number>()
  for (const [at, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    for (let index = Math.max(0, at - contextLines); index <= at + contextLines; index += 1) near.add(index)
    if (near.size > mostLines) break
  }
  return lines.filter((_, at) => near.has(at)).slice(0, mostLines)
}

function lineDiff(steps: readonly Step[], isCoarse: boolean): LineDiff {
  const lines = numbered(steps, isCoarse)
  const shown = shownOf(lines)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const omitted = lines.length - shown.length
  return { lines: shown, isCoarse, added: count('added'), removed: count('removed'), omitted }
}

/** Compares two texts by lines. Its time is limited, but not to what the event loop may wait: runs in a worker. */
export function diffLines(from: string, to: string): LineDiff {
  const { steps, isCoarse } = stepsOf(linesOf(from), linesOf(to))
  return lineDiff(steps, isCoarse)
}

/** The answer when there was no time to compare: everything is replaced. */
export const replacement = (from: string, to: string): LineDiff =>
  from === to
    ? { lines: [], isCoarse: false, added: 0, removed: 0, omitted: linesOf(from).length }
    : lineDiff(replacing(linesOf(from), linesOf(to)), true)
