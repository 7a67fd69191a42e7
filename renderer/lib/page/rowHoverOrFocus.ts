import { type FocusEvent, type PointerEvent, useState } from 'react'

/**
 * True inside a row or the button for new rows, which must not disappear while the user is about to press it.
 */
const inRows = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('tbody tr[data-row-id], [data-new-rows]') !== null

/**
 * Tracks whether the pointer or the keyboard focus is on a table's rows, which must not move then. Spread
 * `handlers` on an element around the table.
 */
export function useRowHoverOrFocus() {
  const [isPointing, setPointing] = useState(false)
  const [isFocused, setFocused] = useState(false)
  return {
    isHoveredOrFocused: isPointing || isFocused,
    handlers: {
      onPointerOver: (event: PointerEvent) => {
        if (event.pointerType === 'mouse') setPointing(inRows(event.target))
      },
      onPointerLeave: () => setPointing(false),
      onFocus: (event: FocusEvent) => setFocused(inRows(event.target)),
      onBlur: () => setFocused(false),
    },
  }
}
