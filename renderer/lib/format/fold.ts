/** Part of a line. `at` is its index in the line. */
export type Word = { readonly at: number; readonly text: string; readonly isChanged: boolean }
/** One line of a comparison. A side is null if the line has no counterpart there. */
export type Pair = {
  /** Index of the line in the comparison. */
  readonly at: number
  readonly isChanged: boolean
  readonly before: readonly Word[] | null
  readonly after: readonly Word[] | null
}

/** Consecutive lines that are shown or folded. `at` is the index of the first. */
export type Stretch =
  | { readonly kind: 'shown'; readonly at: number; readonly pairs: readonly Pair[] }
  | { readonly kind: 'folded'; readonly at: number; readonly pairs: readonly Pair[] }

/** Folds unchanged lines, and keeps `context` lines around each change. */
export function fold(pairs: readonly Pair[], context = 3): Stretch[] {
  const isNear = pairs.map((_, index) =>
    pairs.slice(Math.max(0, index - context), index + context + 1).some((pair) => pair.isChanged),
  )
  const stretches: { kind: 'shown' | 'folded'; at: number; pairs: Pair[] }[] = []
  for (const [index, pair] of pairs.entries()) {
    const kind = isNear[index] === true ? 'shown' : 'folded'
    const last = stretches.at(-1)
    if (last?.kind === kind) last.pairs.push(pair)
    else stretches.push({ kind, at: index, pairs: [pair] })
  }
  // Folding one or two lines saves no space.
  return stretches.map((one) => (one.pairs.length < 3 ? { ...one, kind: 'shown' } : one))
}
