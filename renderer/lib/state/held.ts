import { type FocusEvent, type PointerEvent, useState } from 'react'

type Options = {
  /** True while the user points at the value, or reads it with the keyboard. */
  readonly isHeld: boolean
  /** Identifies what is shown. A value of another scope is shown at once. */
  readonly scope: string
}

/**
 * Returns the value to show, which does not change while `isHeld`. `isBehind` is true if a newer value is
 * available.
 */
export function useHeld<T>(
  fresh: T,
  { isHeld, scope }: Options,
): { readonly shown: T; readonly isBehind: boolean } {
  const [kept, setKept] = useState({ scope, value: fresh })
  const isHolding = isHeld && kept.scope === scope
  if (!isHolding && (kept.value !== fresh || kept.scope !== scope)) setKept({ scope, value: fresh })
  return isHolding ? { shown: kept.value, isBehind: kept.value !== fresh } : { shown: fresh, isBehind: false }
}

/** Tracks whether the pointer or the keyboard focus is on an element. Spread `watch` on that element. */
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
