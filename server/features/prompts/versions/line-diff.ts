import { diffArrays, diffWordsWithSpace } from 'diff'
import type { DiffLine } from '../../../../contract/prompts/prompt-versions.ts'

/** Maximum edits: beyond this, texts are shown as replaced. Time grows with the square of the edits. */
const maxLineEdits = 2000
const maxWordEdits = 200
/** Maximum length in UTF-16 units of a line that is compared by words. */
const longestLine = 4000
/** Time limit in milliseconds for each of: comparing lines, and comparing words within lines. */
const maxMs = 1000
/**
 * Maximum number of lines in a reply. Beyond it, first unchanged lines far from a change are omitted, then
 * the rest.
 */
const maxLines = 20_000
/** Unchanged lines to keep before and after a change. */
const contextLines = 3

export type LineDiff = {
  readonly lines: readonly DiffLine[]
  /** True if the texts are too different to compare and are shown as replaced. */
  readonly isCoarse: boolean
  readonly added: number
  readonly removed: number
  /** Number of lines that are not in `lines`. */
  readonly omitted: number
}

type Step = { readonly kind: DiffLine['kind']; readonly lines: readonly string[] }

const linesOf = (content: string): string[] => (content === '' ? [] : content.split('\n'))

const replacing = (from: readonly string[], to: readonly string[]): Step[] => [
  { kind: 'removed', lines: from },
  { kind: 'added', lines: to },
]

function stepsOf(from: readonly string[], to: readonly string[]): { steps: Step[]; isCoarse: boolean } {
  const changes = diffArrays([...from], [...to], { maxEditLength: maxLineEdits, timeout: maxMs })
  if (changes === undefined) return { steps: replacing(from, to), isCoarse: true }
  const steps = changes.map(({ added, removed, value }): Step => {
    return { kind: added ? 'added' : removed ? 'removed' : 'same', lines: value }
  })
  return { steps, isCoarse: false }
}

/** Returns the words in which two lines differ; undefined if they are too long or too different. */
function partsOf(from: string, to: string): { from: DiffLine['parts']; to: DiffLine['parts'] } {
  if (from.length > longestLine || to.length > longestLine) return { from: undefined, to: undefined }
  const words = diffWordsWithSpace(from, to, { maxEditLength: maxWordEdits })
  if (words === undefined) return { from: undefined, to: undefined }
  const side = (other: 'added' | 'removed', own: 'added' | 'removed') =>
    words.flatMap((word) =>
      word[other] ? [] : [{ kind: word[own] ? own : ('same' as const), text: word.value }],
    )
  return { from: side('added', 'removed'), to: side('removed', 'added') }
}

/** Returns the line that a removed or added line is compared with: the one in the same place of the other side. */
function partnerOf(steps: readonly Step[], index: number, at: number): string | undefined {
  const [before, step, after] = [steps[index - 1], steps[index], steps[index + 1]]
  if (step?.kind === 'removed' && after?.kind === 'added') return after.lines[at]
  return step?.kind === 'added' && before?.kind === 'removed' ? before.lines[at] : undefined
}

/** Returns the words in which a line differs from its partner. */
function partsOfLine(kind: Step['kind'], text: string, partner: string | undefined): DiffLine['parts'] {
  if (partner === undefined) return undefined
  return kind === 'removed' ? partsOf(text, partner).from : partsOf(partner, text).to
}

/**
 * Returns lines with their numbers. Removed lines and the added lines in their place are compared by words,
 * in pairs.
 */
function numbered(steps: readonly Step[], isCoarse: boolean): DiffLine[] {
  const deadline = performance.now() + maxMs
  const next = { from_line: 1, to_line: 1 }
  const numbersOf = (kind: Step['kind']) => ({
    from_line: kind === 'added' ? null : next.from_line++,
    to_line: kind === 'removed' ? null : next.to_line++,
  })
  return steps.flatMap(({ kind, lines }, index) =>
    lines.map((text, at): DiffLine => {
      const isCompared = !isCoarse && performance.now() <= deadline
      const parts = partsOfLine(kind, text, isCompared ? partnerOf(steps, index, at) : undefined)
      return { kind, ...numbersOf(kind), text, ...(parts !== undefined && { parts }) }
    }),
  )
}

/** Returns the lines of a reply: all lines, or those near changes. */
function shownOf(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= maxLines) return lines
  const near = new Set<number>()
  for (const [at, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    for (let index = Math.max(0, at - contextLines); index <= at + contextLines; index += 1) near.add(index)
    if (near.size > maxLines) break
  }
  return lines.filter((_, at) => near.has(at)).slice(0, maxLines)
}

function lineDiff(steps: readonly Step[], isCoarse: boolean): LineDiff {
  const lines = numbered(steps, isCoarse)
  const shown = shownOf(lines)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const omitted = lines.length - shown.length
  return { lines: shown, isCoarse, added: count('added'), removed: count('removed'), omitted }
}

/** Compares two texts by lines. Its time limit is too long for the event loop, so it runs in a worker. */
export function diffLines(from: string, to: string): LineDiff {
  const { steps, isCoarse } = stepsOf(linesOf(from), linesOf(to))
  return lineDiff(steps, isCoarse)
}

/** Returns the comparison without a computation, for when time ran out: everything is replaced. */
export const replacement = (from: string, to: string): LineDiff =>
  from === to
    ? { lines: [], isCoarse: false, added: 0, removed: 0, omitted: linesOf(from).length }
    : lineDiff(replacing(linesOf(from), linesOf(to)), true)
