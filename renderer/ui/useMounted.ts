import { startTransition, useEffect, useState } from 'react'

/** Rows that fill the frame of most screens. */
const firstScreen = 25

/**
 * How many of a page's rows are in the document: those of the first screen when it is another page, and once they were
 * painted all of them, so that no single task lays out and paints a whole page. Rows that come and go in a page do not count.
 */
export function useMounted(ids: readonly string[]): number {
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set())
  const isOther = ids.length > firstScreen && !ids.some((id) => whole.has(id))
  useEffect(() => {
    if (isOther) startTransition(() => setWhole(new Set(ids)))
  }, [isOther, ids])
  return isOther ? firstScreen : ids.length
}
