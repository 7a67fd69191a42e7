import { Children, type ReactNode, startTransition, useEffect, useState } from 'react'

/**
 * Parts of a long page, top to bottom, one at a time: each is mounted once the one above it was painted, so that no single
 * task has to mount them all. What stands below grows downwards and moves nothing.
 */
export function InTurn({ children }: { readonly children: ReactNode }) {
  const parts = Children.toArray(children)
  const [mounted, setMounted] = useState(1)
  const isWhole = mounted >= parts.length
  useEffect(() => {
    if (!isWhole) startTransition(() => setMounted(mounted + 1))
  }, [mounted, isWhole])
  return parts.slice(0, mounted)
}
