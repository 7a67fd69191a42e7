import { type FocusEvent, type PointerEvent, useState } from 'react'

/** The rows, and what stands for rows that wait: it must not go while someone is on the way to press it. */
const inRows = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('tbody tr[data-row-id], [data-new-rows]') !== null

/**
 * Whether someone is at the rows of a table: the pointer is over one, or the keyboard is on one. While they are, rows
 * must not move. Spread `watch` on an element around the table.
 */
export function useReading() {
  const [isPointing, setPointing] = useState(false)
  const [isFocused, setFocused] = useState(false)
  return {
    isReading: isPointing || isFocused,
    watch: {
      onPointerOver: (event: PointerEvent) => {
        if (event.pointerType === 'mouse') setPointing(inRows(event.target))
      },
      onPointerLeave: () => setPointing(false),
      onFocus: (event: FocusEvent) => setFocused(inRows(event.target)),
      onBlur: () => setFocused(false),
    },
  }
}
