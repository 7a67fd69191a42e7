import { Children, type ReactNode, startTransition, useEffect, useRef, useState } from 'react'

type Props = {
  readonly children: ReactNode
  /** Runs once, when all parts are mounted. */
  readonly onComplete?: () => void
}

/**
 * Mounts the parts of a long page from top to bottom, each after the one above was painted, so that no single
 * task mounts all of them. New parts are added at the end and move nothing.
 */
export function ProgressiveMount({ children, onComplete }: Props) {
  const parts = Children.toArray(children)
  const [mounted, setMounted] = useState(1)
  const isComplete = mounted >= parts.length
  useEffect(() => {
    if (!isComplete) startTransition(() => setMounted(mounted + 1))
  }, [mounted, isComplete])
  const callback = useRef(onComplete)
  useEffect(() => {
    if (isComplete) callback.current?.()
  }, [isComplete])
  return parts.slice(0, mounted)
}
