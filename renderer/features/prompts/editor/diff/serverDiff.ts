import type { DiffLine } from '../../../../../contract/prompts/prompt-diff.ts'
import type { DiffPart, LinePair } from '../../../../lib/format/diffSections.ts'

const partsOf = ({ text, parts }: DiffLine): DiffPart[] =>
  parts === undefined
    ? [{ at: 0, text, isChanged: false }]
    : parts.map((part, at) => ({ at, text: part.text, isChanged: part.kind !== 'same' }))

/** Returns the lines of a text that only one side has. */
export const onlyPairs = (text: string, side: 'before' | 'after'): LinePair[] =>
  text.split('\n').map((line, at) => {
    const parts: DiffPart[] = [{ at: 0, text: line, isChanged: false }]
    return { at, isChanged: true, before: null, after: null, [side]: parts }
  })

/**
 * Pairs the lines of a diff for display side by side: removed lines next to the added ones that replace them.
 */
export function pairsOf(lines: readonly DiffLine[]): LinePair[] {
  const pairs: LinePair[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const before = removed[index]
      const after = added[index]
      pairs.push({
        at: pairs.length,
        isChanged: true,
        before: before === undefined ? null : partsOf(before),
        after: after === undefined ? null : partsOf(after),
      })
    }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      // Lines added before this one belong to the previous pairs.
      if (added.length > removed.length) flush()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      flush()
      pairs.push({ at: pairs.length, isChanged: false, before: partsOf(line), after: partsOf(line) })
    }
  }
  flush()
  return pairs
}
