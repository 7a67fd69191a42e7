import { startTransition, useEffect, useState } from 'react'

/** Number of rows that fill the table on most screens. */
const firstScreenRows = 25

/**
 * Returns the number of a page's rows to mount: those of the first screen when the page changes, and all of
 * them once these are painted, so that no single task lays out a whole page. Rows that are added or removed
 * within a page have no effect.
 */
export function useMountedRowCount(ids: readonly string[]): number {
  const [mountedIds, setMountedIds] = useState<ReadonlySet<string>>(new Set())
  const isNewPage = ids.length > firstScreenRows && !ids.some((id) => mountedIds.has(id))
  useEffect(() => {
    if (isNewPage) startTransition(() => setMountedIds(new Set(ids)))
  }, [isNewPage, ids])
  return isNewPage ? firstScreenRows : ids.length
}
