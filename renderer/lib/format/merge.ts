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

/** Adds a change. One that begins where the last one ends continues it. */
function addChange(hunks: Hunk[], change: Hunk): void {
  const last = hunks.at(-1)
  if (last?.to !== change.from) hunks.push(change)
  else hunks[hunks.length - 1] = { ...last, to: change.to, lines: [...last.lines, ...change.lines] }
}

/** True if two changes concern the same lines, or insert at the same place. Changes of neighbours do not. */
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

/** Takes the next change of either side, with all changes that overlap it. */
function nextRegion(mine: Hunk[], theirs: Hunk[]) {
  const [ours, others]: [Hunk[], Hunk[]] = [[], []]
  const isFirst = (mine[0]?.from ?? Number.POSITIVE_INFINITY) <= (theirs[0]?.from ?? Number.POSITIVE_INFINITY)
  const first = (isFirst ? mine : theirs).shift() as Hunk
  ;(isFirst ? ours : others).push(first)
  let region = first
  const take = (from: Hunk[], into: Hunk[]): boolean => {
    const [hunk] = from
    if (hunk === undefined || !overlaps(region, hunk)) return false
    from.shift()
    into.push(hunk)
    region = { from: Math.min(region.from, hunk.from), to: Math.max(region.to, hunk.to), lines: [] }
    return true
  }
  while (take(mine, ours) || take(theirs, others));
  return { from: region.from, to: region.to, ours, others }
}

/**
 * Merges two changes of a text by line. Lines that only one side changed are taken from that side; where both
 * changed the same lines differently, there is a conflict.
 */
export function mergeLines(base: string, mine: string, theirs: string): Merged {
  const lines = base.split('\n')
  const ours = hunksOf(lines, mine.split('\n'))
  const others = hunksOf(lines, theirs.split('\n'))
  if (ours === null || others === null)
    return { text: mine, conflicts: [{ line: 1, mine: mine.split('\n'), theirs: theirs.split('\n') }] }
  const merged: string[] = []
  const conflicts: MergeConflict[] = []
  let at = 0
  while (ours.length + others.length > 0) {
    const region = nextRegion(ours, others)
    merged.push(...lines.slice(at, region.from))
    const my = sideOf(lines, region.ours, region.from, region.to)
    const their = sideOf(lines, region.others, region.from, region.to)
    const isSame = my.length === their.length && my.every((line, index) => line === their[index])
    if (region.ours.length > 0 && region.others.length > 0 && !isSame)
      conflicts.push({ line: merged.length + 1, mine: my, theirs: their })
    merged.push(...(region.ours.length > 0 ? my : their))
    at = region.to
  }
  return { text: [...merged, ...lines.slice(at)].join('\n'), conflicts }
}
