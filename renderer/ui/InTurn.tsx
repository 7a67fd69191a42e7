import { Children, type ReactNode, startTransition, useEffect, useRef, useState } from 'react'

type Props = {
  readonly children: ReactNode
  /** Runs once, when all parts are mounted. */
  readonly onWhole?: () => void
}

/**
 * Parts of a long page, top to bottom, one at a time: each is mounted once the one above it was painted, so that no single
 * task has to mount them all. What stands below grows downwards and moves nothing.
 */
export function InTurn({ children, onWhole }: Props) {
  const parts = Children.toArray(children)
  const [mounted, setMounted] = useState(1)
  const isWhole = mounted >= parts.length
  useEffect(() => {
    if (!isWhole) startTransition(() => setMounted(mounted + 1))
  }, [mounted, isWhole])
  const whole = useRef(onWhole)
  useEffect(() => {
    if (isWhole) whole.current?.()
  }, [isWhole])
  return parts.slice(0, mounted)
}
