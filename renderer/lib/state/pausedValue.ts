import { type FocusEvent, type PointerEvent, useState } from 'react'

type Options = {
  /** True while the user points at the value, or reads it with the keyboard. */
  readonly isPaused: boolean
  /** Identifies what is shown. A value of another scope is shown immediately. */
  readonly scope: string
}

/**
 * Returns the value to show, which does not change while `isPaused`. `isOutdated` is true if a newer value is
 * available.
 */
export function usePausedValue<T>(
  fresh: T,
  { isPaused, scope }: Options,
): { readonly shown: T; readonly isOutdated: boolean } {
  const [frozen, setFrozen] = useState({ scope, value: fresh })
  const isFrozen = isPaused && frozen.scope === scope
  if (!isFrozen && (frozen.value !== fresh || frozen.scope !== scope)) setFrozen({ scope, value: fresh })
  return isFrozen
    ? { shown: frozen.value, isOutdated: frozen.value !== fresh }
    : { shown: fresh, isOutdated: false }
}

/** Tracks whether the pointer or the keyboard focus is on an element. Spread `handlers` on that element. */
export function useHoverOrFocus() {
  const [isHoveredOrFocused, setHoveredOrFocused] = useState(false)
  return {
    isHoveredOrFocused,
    handlers: {
      onPointerEnter: (event: PointerEvent) => {
        if (event.pointerType === 'mouse') setHoveredOrFocused(true)
      },
      onPointerLeave: (event: PointerEvent) =>
        setHoveredOrFocused(event.currentTarget.contains(document.activeElement)),
      onFocus: () => setHoveredOrFocused(true),
      onBlur: (event: FocusEvent) => setHoveredOrFocused(event.currentTarget.contains(event.relatedTarget)),
    },
  }
}
