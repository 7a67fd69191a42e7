import { diffArrays } from 'diff'

/** Lines that both sides changed differently. `line` is the number of the first, in the merged text. */
export type MergeConflict = {
  readonly line: number
  readonly mine: readonly string[]
  readonly theirs: readonly string[]
}

/** A merged text. In a conflict it has my lines. */
export type Merged = { readonly text: string; readonly conflicts: readonly MergeConflict[] }

/** A change: lines `from` to `to` (exclusive) of the base became `lines`. */
type Hunk = { readonly from: number; readonly to: number; readonly lines: readonly string[] }

/** Limits of the comparison, in edits and milliseconds. */
const limits = { maxEditLength: 2000, timeout: 200 }

/** Returns the changes of a text in order; null if the texts are too different to compare. */
function hunksOf(base: string[], changed: string[]): Hunk[] | null {
  const parts = diffArrays(base, changed, limits)
  if (parts === undefined) return null
  const hunks: Hunk[] = []
  let at = 0
  for (const { added, removed, value } of parts) {
    const end = added ? at : at + value.length
    if (added || removed) addChange(hunks, { from: at, to: end, lines: added ? value : [] })
    at = end
  }
  return hunks
}

/** Adds a change, or extends the last one if the change begins where that ends. */
function addChange(hunks: Hunk[], change: Hunk): void {
  const last = hunks.at(-1)
  if (last?.to !== change.from) hunks.push(change)
  else hunks[hunks.length - 1] = { ...last, to: change.to, lines: [...last.lines, ...change.lines] }
}

/** Returns true if changes share lines or a place of insertion. Changes of adjacent lines do not overlap. */
const overlaps = (a: Hunk, b: Hunk): boolean =>
  (a.from < b.to && b.from < a.to) || (a.from === b.from && (a.from === a.to || b.from === b.to))

/** Returns the lines of a side between two lines of the base. */
function sideOf(base: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] {
  const lines: string[] = []
  let at = from
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines)
    at = hunk.to
  }
  return [...lines, ...base.slice(at, to)]
}

/** Removes and returns the next change of either side, with all changes that overlap it. */
function nextRegion(mine: Hunk[], theirs: Hunk[]) {
  const [myHunks, theirHunks]: [Hunk[], Hunk[]] = [[], []]
  const isFirst = (mine[0]?.from ?? Number.POSITIVE_INFINITY) <= (theirs[0]?.from ?? Number.POSITIVE_INFINITY)
  const first = (isFirst ? mine : theirs).shift() as Hunk
  ;(isFirst ? myHunks : theirHunks).push(first)
  let region = first
  const take = (from: Hunk[], into: Hunk[]): boolean => {
    const [hunk] = from
    if (hunk === undefined || !overlaps(region, hunk)) return false
    from.shift()
    into.push(hunk)
    region = { from: Math.min(region.from, hunk.from), to: Math.max(region.to, hunk.to), lines: [] }
    return true
  }
  while (take(mine, myHunks) || take(theirs, theirHunks));
  return { from: region.from, to: region.to, myHunks, theirHunks }
}

/**
 * Merges two changes of a text by line. Lines that only one side changed are taken from that side; where both
 * changed the same lines differently, there is a conflict.
 */
export function mergeLines(base: string, mine: string, theirs: string): Merged {
  const lines = base.split('\n')
  const myHunks = hunksOf(lines, mine.split('\n'))
  const theirHunks = hunksOf(lines, theirs.split('\n'))
  if (myHunks === null || theirHunks === null)
    return { text: mine, conflicts: [{ line: 1, mine: mine.split('\n'), theirs: theirs.split('\n') }] }
  const merged: string[] = []
  const conflicts: MergeConflict[] = []
  let at = 0
  while (myHunks.length + theirHunks.length > 0) {
    const region = nextRegion(myHunks, theirHunks)
    merged.push(...lines.slice(at, region.from))
    const myLines = sideOf(lines, region.myHunks, region.from, region.to)
    const theirLines = sideOf(lines, region.theirHunks, region.from, region.to)
    const isSame =
      myLines.length === theirLines.length && myLines.every((line, index) => line === theirLines[index])
    if (region.myHunks.length > 0 && region.theirHunks.length > 0 && !isSame)
      conflicts.push({ line: merged.length + 1, mine: myLines, theirs: theirLines })
    merged.push(...(region.myHunks.length > 0 ? myLines : theirLines))
    at = region.to
  }
  return { text: [...merged, ...lines.slice(at)].join('\n'), conflicts }
}
