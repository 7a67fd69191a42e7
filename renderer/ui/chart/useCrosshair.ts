import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useRef,
  useState,
} from 'react'

export type Selected = { readonly first: number; readonly last: number }

type Options = {
  readonly count: number
  readonly onZoom: (selected: Selected) => void
  readonly onOpen: (index: number) => void
  /** Opens the changes before a bucket. */
  readonly onBefore: (index: number) => void
}

/** A press that moves less is a click, in pixels. */
const minDrag = 5
/** Step of Page Up and Page Down, as a share of the axis. */
const pageShare = 0.1

const between = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/**
 * Controls the crosshair and the selection on a time axis. Pointer: move to show values, drag to select and
 * zoom, click to open a bucket, right click for the changes before it. Keyboard: arrows move, Shift and an
 * arrow selects, Enter zooms into the selection or opens the bucket, `b` opens the changes before it, Escape
 * clears.
 */
export function useCrosshair({ count, onZoom, onOpen, onBefore }: Options) {
  const [hovered, setHovered] = useState<number | null>(null)
  const [anchor, setAnchor] = useState<number | null>(null)
  const pressedAt = useRef<{ readonly x: number; isDrag: boolean } | null>(null)
  const last = count - 1
  // The axis may have become shorter.
  const at = hovered === null ? null : between(hovered, 0, last)
  const selected: Selected | null =
    anchor === null || at === null
      ? null
      : { first: Math.min(anchor, at), last: between(Math.max(anchor, at), 0, last) }

  const reset = (): void => {
    pressedAt.current = null
    setAnchor(null)
    setHovered(null)
  }
  const indexAt = (event: MouseEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return between(Math.floor(((event.clientX - left) / Math.max(1, width)) * count), 0, last)
  }
  const zoom = (range: Selected): void => {
    reset()
    onZoom(range)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.round(count * pageShare))
    const now = at ?? last
    const target = {
      ArrowLeft: at === null ? last : now - 1,
      ArrowRight: at === null ? last : now + 1,
      PageDown: now - page,
      PageUp: now + page,
      Home: 0,
      End: last,
    }[event.key]
    if (target !== undefined) {
      if (event.shiftKey) setAnchor(anchor ?? now)
      else setAnchor(null)
      setHovered(between(target, 0, last))
    } else if (event.key === 'Enter' && at !== null) {
      if (selected === null) onOpen(at)
      else zoom(selected)
    } else if (event.key === 'b' && !event.ctrlKey && !event.metaKey && !event.altKey) onBefore(now)
    else if (event.key === 'Escape' && at !== null) reset()
    else return
    event.preventDefault()
  }

  return {
    at,
    selected,
    setHovered,
    reset,
    handlers: {
      onKeyDown,
      // Keyboard focus shows the crosshair at once.
      onFocus: (event: FocusEvent) => {
        if (event.currentTarget.matches(':focus-visible')) setHovered(hovered ?? last)
      },
      onBlur: reset,
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        pressedAt.current = { x: event.clientX, isDrag: false }
        setHovered(indexAt(event))
        setAnchor(null)
      },
      onPointerMove: (event: PointerEvent) => {
        const index = indexAt(event)
        const press = pressedAt.current
        if (press !== null && !press.isDrag && Math.abs(event.clientX - press.x) >= minDrag) {
          press.isDrag = true
          setAnchor(at ?? index)
        }
        setHovered(index)
      },
      onPointerUp: (event: PointerEvent) => {
        const press = pressedAt.current
        pressedAt.current = null
        if (press === null) return
        if (!press.isDrag) onOpen(indexAt(event))
        else if (selected !== null) zoom(selected)
      },
      onContextMenu: (event: MouseEvent) => {
        event.preventDefault()
        onBefore(indexAt(event))
      },
      onPointerCancel: reset,
      onPointerLeave: () => {
        if (pressedAt.current === null) reset()
      },
    },
  }
}
