import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useRef,
  useState,
} from 'react'

export type Selected = { readonly first: number; readonly last: number }

type Options = {
  readonly count: number
  readonly onZoom: (selected: Selected) => void
  /** `event` is the click; absent for the keyboard, where `isFailures` asks for the failures only. */
  readonly onOpen: (index: number, event: PointerEvent | null, isFailures: boolean) => void
  /** Opens the changes before a bucket. */
  readonly onBefore: (index: number) => void
}

/** A press that moves less is a click, in pixels. */
const minDrag = 5
/** Step of Page Up and Page Down, as a share of the axis. */
const pageShare = 0.1

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

const rangeOf = (anchor: number, at: number, last: number): Selected => ({
  first: Math.min(anchor, at),
  last: clamp(Math.max(anchor, at), 0, last),
})

/** Returns the bucket that a key moves to, before it is limited to the axis; undefined for other keys. */
function targetOf(key: string, at: number | null, count: number): number | undefined {
  const last = count - 1
  const page = Math.max(1, Math.round(count * pageShare))
  const current = at ?? last
  return {
    ArrowLeft: at === null ? last : current - 1,
    ArrowRight: at === null ? last : current + 1,
    PageDown: current - page,
    PageUp: current + page,
    Home: 0,
    End: last,
  }[key]
}

type KeyAction = 'before' | 'failures' | 'cancel' | 'zoom' | 'open'

/** Returns what a key does; null if nothing. */
function actionOf(event: KeyboardEvent, isAtBucket: boolean, hasSelection: boolean): KeyAction | null {
  const { key, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey) return null
  if (key === 'b') return 'before'
  if (key === 'e') return 'failures'
  if (!isAtBucket) return null
  if (key === 'Escape') return 'cancel'
  return key === 'Enter' ? (hasSelection ? 'zoom' : 'open') : null
}

type Press = { readonly x: number; isDrag: boolean }

/** Handlers of pointer events, each with the index of the bucket under the pointer. */
type PointerActions = {
  readonly press: RefObject<Press | null>
  readonly indexAt: (event: MouseEvent) => number
  readonly onPress: (index: number) => void
  readonly onDrag: (index: number) => void
  readonly onMove: (index: number) => void
  readonly onClick: (index: number, event: PointerEvent) => void
  readonly onDrop: () => void
  readonly onLeave: () => void
}

const pointerHandlers = (actions: PointerActions) => ({
  onPointerDown: (event: PointerEvent) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    actions.press.current = { x: event.clientX, isDrag: false }
    actions.onPress(actions.indexAt(event))
  },
  onPointerMove: (event: PointerEvent) => {
    const index = actions.indexAt(event)
    const press = actions.press.current
    if (press !== null && !press.isDrag && Math.abs(event.clientX - press.x) >= minDrag) {
      press.isDrag = true
      actions.onDrag(index)
    }
    actions.onMove(index)
  },
  onPointerUp: (event: PointerEvent) => {
    const press = actions.press.current
    actions.press.current = null
    if (press === null) return
    if (press.isDrag) actions.onDrop()
    else actions.onClick(actions.indexAt(event), event)
  },
  onPointerCancel: actions.onLeave,
  onPointerLeave: () => {
    if (actions.press.current === null) actions.onLeave()
  },
})

/**
 * Controls the crosshair and the selection on a time axis. Pointer: move to show values, drag to select and
 * zoom, click to open a bucket, right click for the changes before it. Keyboard: arrows move, Shift and an
 * arrow selects, Enter zooms into the selection or opens the bucket, `e` opens its failures, `b` opens the
 * changes before it, Escape clears.
 */
export function useCrosshair({ count, onZoom, onOpen, onBefore }: Options) {
  const [hovered, setHovered] = useState<number | null>(null)
  const [anchor, setAnchor] = useState<number | null>(null)
  const pressedAt = useRef<Press | null>(null)
  const last = count - 1
  // The axis may have become shorter.
  const at = hovered === null ? null : clamp(hovered, 0, last)
  const selected = anchor === null || at === null ? null : rangeOf(anchor, at, last)

  const reset = (): void => {
    pressedAt.current = null
    setAnchor(null)
    setHovered(null)
  }
  const indexAt = (event: MouseEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return clamp(Math.floor(((event.clientX - left) / Math.max(1, width)) * count), 0, last)
  }
  const zoom = (range: Selected): void => {
    reset()
    onZoom(range)
  }
  const move = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const target = targetOf(key, at, count)
    if (target === undefined) return false
    setAnchor(shiftKey ? (anchor ?? at ?? last) : null)
    setHovered(clamp(target, 0, last))
    return true
  }
  const act = (event: KeyboardEvent): boolean => {
    const action = actionOf(event, at !== null, selected !== null)
    const bucket = at ?? last
    if (action === 'zoom' && selected !== null) zoom(selected)
    else if (action === 'before') onBefore(bucket)
    else if (action === 'cancel') reset()
    else if (action !== null) onOpen(bucket, null, action === 'failures')
    return action !== null
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (move(event) || act(event)) event.preventDefault()
  }

  return {
    at,
    selected,
    setHovered,
    reset,
    handlers: {
      onKeyDown,
      // Keyboard focus shows the crosshair immediately.
      onFocus: (event: FocusEvent) => {
        if (event.currentTarget.matches(':focus-visible')) setHovered(hovered ?? last)
      },
      onBlur: reset,
      ...pointerHandlers({
        press: pressedAt,
        indexAt,
        onPress: (index) => {
          setHovered(index)
          setAnchor(null)
        },
        onDrag: (index) => setAnchor(at ?? index),
        onMove: setHovered,
        onClick: (index, event) => onOpen(index, event, false),
        onDrop: () => selected !== null && zoom(selected),
        onLeave: reset,
      }),
      onContextMenu: (event: MouseEvent) => {
        event.preventDefault()
        onBefore(indexAt(event))
      },
    },
  }
}
