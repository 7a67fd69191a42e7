import { type FocusEvent, type PointerEvent, useState } from 'react'

type Options = {
  /** Someone points at it, or reads it with the keyboard. */
  readonly isHeld: boolean
  /** What it shows: another scope is another thing and is shown at once. */
  readonly scope: string
}

/** Nothing moves under the pointer: while held, what is shown stays as it was, and `isBehind` says that newer waits. */
export function useHeld<T>(
  fresh: T,
  { isHeld, scope }: Options,
): { readonly shown: T; readonly isBehind: boolean } {
  const [kept, setKept] = useState({ scope, value: fresh })
  const isHolding = isHeld && kept.scope === scope
  if (!isHolding && (kept.value !== fresh || kept.scope !== scope)) setKept({ scope, value: fresh })
  return isHolding ? { shown: kept.value, isBehind: kept.value !== fresh } : { shown: fresh, isBehind: false }
}

/** Whether someone looks at something: the pointer or the keyboard is on it. Spread `watch` on an element around it. */
export function useLooking() {
  const [isLooking, setLooking] = useState(false)
  return {
    isLooking,
    watch: {
      onPointerEnter: (event: PointerEvent) => {
        if (event.pointerType === 'mouse') setLooking(true)
      },
      onPointerLeave: (event: PointerEvent) =>
        setLooking(event.currentTarget.contains(document.activeElement)),
      onFocus: () => setLooking(true),
      onBlur: (event: FocusEvent) => setLooking(event.currentTarget.contains(event.relatedTarget)),
    },
  }
}
