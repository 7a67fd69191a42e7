/**
 * Returns a value as JSON for comparison, without `uid`, which only identifies parts of a draft while it is
 * edited.
 */
const serialize = (value: unknown): string | undefined =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'uid' ? undefined : inner))

/** Returns the names of the fields that differ. */
export const changedFields = <D extends object>(before: D, after: D): (keyof D & string)[] =>
  (Object.keys(after) as (keyof D & string)[]).filter(
    (field) => serialize(before[field]) !== serialize(after[field]),
  )

export const isSameDraft = <D extends object>(a: D, b: D): boolean => changedFields(a, b).length === 0

/** Merges two drafts by field; my change wins if both changed a field. */
export const preferMine = <D extends object>(base: D, mine: D, theirs: D): D => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((field) => [field, mine[field]])),
})

/**
 * Merges two drafts by field: mine where I changed it, theirs elsewhere. Null if both changed the same field
 * differently.
 */
export function combine<D extends object>(base: D, mine: D, theirs: D): D | null {
  const theirFields = changedFields(base, theirs)
  const isClash = changedFields(base, mine).some(
    (field) => theirFields.includes(field) && changedFields(mine, theirs).includes(field),
  )
  return isClash ? null : preferMine(base, mine, theirs)
}
