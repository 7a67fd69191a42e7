import { Children, type ReactNode, startTransition, useEffect, useRef, useState } from 'react'

type Props = {
  readonly children: ReactNode
  /** Runs once, when all parts are mounted. */
  readonly onWhole?: () => void
}

/**
 * Mounts the parts of a long page from top to bottom, each after the one above was painted, so that no single
 * task mounts all of them. New parts are added at the end and move nothing.
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
