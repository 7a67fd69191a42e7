/** Part of a line. `at` is its index in the line. */
export type DiffPart = { readonly at: number; readonly text: string; readonly isChanged: boolean }
/** One line of a comparison. A side is null if the line has no counterpart there. */
export type LinePair = {
  /** Index of the line in the comparison. */
  readonly at: number
  readonly isChanged: boolean
  readonly before: readonly DiffPart[] | null
  readonly after: readonly DiffPart[] | null
}

/** Consecutive lines that are shown or collapsed. `at` is the index of the first. */
export type DiffSection =
  | { readonly kind: 'shown'; readonly at: number; readonly pairs: readonly LinePair[] }
  | { readonly kind: 'collapsed'; readonly at: number; readonly pairs: readonly LinePair[] }

/** Collapses unchanged lines, and keeps `context` lines around each change. */
export function collapseUnchanged(pairs: readonly LinePair[], context = 3): DiffSection[] {
  const isNear = pairs.map((_, index) =>
    pairs.slice(Math.max(0, index - context), index + context + 1).some((pair) => pair.isChanged),
  )
  const sections: { kind: 'shown' | 'collapsed'; at: number; pairs: LinePair[] }[] = []
  for (const [index, pair] of pairs.entries()) {
    const kind = isNear[index] === true ? 'shown' : 'collapsed'
    const last = sections.at(-1)
    if (last?.kind === kind) last.pairs.push(pair)
    else sections.push({ kind, at: index, pairs: [pair] })
  }
  // Collapsing one or two lines saves no space.
  return sections.map((section) => (section.pairs.length < 3 ? { ...section, kind: 'shown' } : section))
}
