import { diffArrays, diffWordsWithSpace } from 'diff'
import type { DiffLine } from '../../../../contract/prompts/prompt-diff.ts'

/** Maximum edits: beyond this, texts are shown as replaced. Time grows with the square of the edits. */
const maxLineEdits = 2000
const maxWordEdits = 200
/** Maximum length in UTF-16 code units of a line that is compared by words. */
const maxLineLength = 4000
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

/** Consecutive lines of the same kind. */
type Chunk = { readonly kind: DiffLine['kind']; readonly lines: readonly string[] }

const linesOf = (content: string): string[] => (content === '' ? [] : content.split('\n'))

const replacing = (from: readonly string[], to: readonly string[]): Chunk[] => [
  { kind: 'removed', lines: from },
  { kind: 'added', lines: to },
]

function chunksOf(from: readonly string[], to: readonly string[]): { chunks: Chunk[]; isCoarse: boolean } {
  const changes = diffArrays([...from], [...to], { maxEditLength: maxLineEdits, timeout: maxMs })
  if (changes === undefined) return { chunks: replacing(from, to), isCoarse: true }
  const chunks = changes.map(({ added, removed, value }): Chunk => {
    return { kind: added ? 'added' : removed ? 'removed' : 'same', lines: value }
  })
  return { chunks, isCoarse: false }
}

/** Returns the words in which two lines differ; undefined if they are too long or too different. */
function partsOf(from: string, to: string): { from: DiffLine['parts']; to: DiffLine['parts'] } {
  if (from.length > maxLineLength || to.length > maxLineLength) return { from: undefined, to: undefined }
  const words = diffWordsWithSpace(from, to, { maxEditLength: maxWordEdits })
  if (words === undefined) return { from: undefined, to: undefined }
  const side = (excluded: 'added' | 'removed', included: 'added' | 'removed') =>
    words.flatMap((word) =>
      word[excluded] ? [] : [{ kind: word[included] ? included : ('same' as const), text: word.value }],
    )
  return { from: side('added', 'removed'), to: side('removed', 'added') }
}

/** Returns the line on the other side that a removed or added line is compared with. */
function partnerOf(chunks: readonly Chunk[], index: number, lineIndex: number): string | undefined {
  const [before, chunk, after] = [chunks[index - 1], chunks[index], chunks[index + 1]]
  if (chunk?.kind === 'removed' && after?.kind === 'added') return after.lines[lineIndex]
  return chunk?.kind === 'added' && before?.kind === 'removed' ? before.lines[lineIndex] : undefined
}

/** Returns the words in which a line differs from its partner. */
function partsOfLine(kind: Chunk['kind'], text: string, partner: string | undefined): DiffLine['parts'] {
  if (partner === undefined) return undefined
  return kind === 'removed' ? partsOf(text, partner).from : partsOf(partner, text).to
}

/**
 * Returns lines with their numbers. Removed lines and the added lines in their place are compared by words,
 * in pairs.
 */
function numbered(chunks: readonly Chunk[], isCoarse: boolean): DiffLine[] {
  const deadline = performance.now() + maxMs
  const next = { from_line: 1, to_line: 1 }
  const numbersOf = (kind: Chunk['kind']) => ({
    from_line: kind === 'added' ? null : next.from_line++,
    to_line: kind === 'removed' ? null : next.to_line++,
  })
  return chunks.flatMap(({ kind, lines }, index) =>
    lines.map((text, lineIndex): DiffLine => {
      const isCompared = !isCoarse && performance.now() <= deadline
      const parts = partsOfLine(kind, text, isCompared ? partnerOf(chunks, index, lineIndex) : undefined)
      return { kind, ...numbersOf(kind), text, ...(parts !== undefined && { parts }) }
    }),
  )
}

/** Returns the lines of a reply: all lines, or those near changes. */
function shownOf(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= maxLines) return lines
  const near = new Set<number>()
  for (const [changed, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    const first = Math.max(0, changed - contextLines)
    for (let index = first; index <= changed + contextLines; index += 1) near.add(index)
    if (near.size > maxLines) break
  }
  return lines.filter((_, index) => near.has(index)).slice(0, maxLines)
}

function lineDiff(chunks: readonly Chunk[], isCoarse: boolean): LineDiff {
  const lines = numbered(chunks, isCoarse)
  const shown = shownOf(lines)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const omitted = lines.length - shown.length
  return { lines: shown, isCoarse, added: count('added'), removed: count('removed'), omitted }
}

/** Compares two texts by lines. Its time limit is too long for the event loop, so it runs in a worker. */
export function diffLines(from: string, to: string): LineDiff {
  const { chunks, isCoarse } = chunksOf(linesOf(from), linesOf(to))
  return lineDiff(chunks, isCoarse)
}

/** Returns the comparison without a computation, for when time ran out: everything is replaced. */
export const replacement = (from: string, to: string): LineDiff =>
  from === to
    ? { lines: [], isCoarse: false, added: 0, removed: 0, omitted: linesOf(from).length }
    : lineDiff(replacing(linesOf(from), linesOf(to)), true)
