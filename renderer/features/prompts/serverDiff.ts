import type { DiffLine } from '../../../contract/prompt-versions.ts'
import type { Pair, Word } from '../../lib/fold.ts'

const words = ({ text, parts }: DiffLine): Word[] =>
  parts === undefined
    ? [{ at: 0, text, isChanged: false }]
    : parts.map((part, at) => ({ at, text: part.text, isChanged: part.kind !== 'same' }))

/** The lines of a comparison the service made, side by side: removed ones beside those that replace them. */
export function pairsOf(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const before = removed[index]
      const after = added[index]
      pairs.push({
        at: pairs.length,
        isChanged: true,
        before: before === undefined ? null : words(before),
        after: after === undefined ? null : words(after),
      })
    }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      // What was added before it belongs to the lines before it.
      if (added.length > removed.length) flush()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      flush()
      pairs.push({ at: pairs.length, isChanged: false, before: words(line), after: words(line) })
    }
  }
  flush()
  return pairs
}
