import { type MergeConflict, mergeLines } from '../../lib/format/merge.ts'

/**
 * Returns a value as JSON for comparison, without `uid`, which only identifies parts of a draft while it is
 * edited.
 */
const serialize = (value: unknown): string | undefined =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'uid' ? undefined : inner))

/** Returns the names of the fields that differ. */
export const changedFields = <D extends object>(before: D, after: D): (keyof D & string)[] =>
  (Object.keys(after) as (keyof D & string)[]).filter(
    (field) => before[field] !== after[field] && serialize(before[field]) !== serialize(after[field]),
  )

export const isSameDraft = <D extends object>(a: D, b: D): boolean => changedFields(a, b).length === 0

/** Merges two drafts by field; my change wins if both changed a field. */
export const preferMine = <D extends object>(base: D, mine: D, theirs: D): D => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((field) => [field, mine[field]])),
})

/** Two drafts merged by field, and texts by line. Where both changed the same, it has my change. */
export type MergedDrafts<D> = {
  readonly draft: D
  /** The conflicts of each field. A field that is not a text has one, without lines. */
  readonly conflicts: Readonly<Partial<Record<keyof D & string, readonly MergeConflict[]>>>
}

/** Merges two drafts: mine where I changed a field or line, theirs elsewhere. */
export function mergeDrafts<D extends object>(base: D, mine: D, theirs: D): MergedDrafts<D> {
  const draft = { ...theirs }
  const conflicts: Partial<Record<keyof D & string, readonly MergeConflict[]>> = {}
  for (const field of changedFields(base, mine)) {
    const merged = mergeField(base[field], mine[field], theirs[field])
    // A merged text takes the place of a text.
    draft[field] = merged.value as D[typeof field]
    if (merged.conflicts.length > 0) conflicts[field] = merged.conflicts
  }
  return { draft, conflicts }
}

function mergeField(base: unknown, mine: unknown, theirs: unknown) {
  const none: readonly MergeConflict[] = []
  if (serialize(theirs) === serialize(base) || serialize(theirs) === serialize(mine))
    return { value: mine, conflicts: none }
  if (typeof base !== 'string' || typeof mine !== 'string' || typeof theirs !== 'string')
    return { value: mine, conflicts: [{ line: 0, mine: [], theirs: [] }] }
  const { text, conflicts } = mergeLines(base, mine, theirs)
  return { value: text, conflicts }
}

/** Merges two drafts; null if both changed the same field, or the same lines of a text, differently. */
export function combine<D extends object>(base: D, mine: D, theirs: D): D | null {
  const { draft, conflicts } = mergeDrafts(base, mine, theirs)
  return Object.keys(conflicts).length === 0 ? draft : null
}
