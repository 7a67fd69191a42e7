import { Portal } from '@mantine/core'
import { type RefObject, useEffect, useState } from 'react'
import styles from './TableHints.module.css'

type Shown = { readonly text: string; readonly left: number; readonly top: number }

const delayMs = 350
/** Half the width of a wide hint, in pixels. Keeps hints inside the window. */
const edgeDistance = 110

/**
 * Returns the element whose hint is shown: the value under the pointer, or the first with a hint in the
 * focused row.
 */
function hintTargetOf(target: EventTarget | null, isFocus: boolean): HTMLElement | null {
  if (!(target instanceof HTMLElement)) return null
  if (!isFocus) return target.closest<HTMLElement>('[data-hint]')
  return target.matches('tr:focus-visible') ? target.querySelector<HTMLElement>('[data-hint]') : null
}

/** One hint for all cells of a table. It disappears on any key, on a press and when the table scrolls. */
export function TableHints({ root }: { readonly root: RefObject<HTMLElement | null> }) {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    const frame = root.current
    if (frame === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let target: HTMLElement | null = null
    const show = (): void => {
      const text = target?.dataset['hint']
      if (target === null || text === undefined || !target.isConnected) return
      const box = target.getBoundingClientRect()
      const middle = box.left + box.width / 2
      setShown({
        text,
        left: Math.min(Math.max(middle, edgeDistance), window.innerWidth - edgeDistance),
        top: box.top,
      })
    }
    const enter = (event: Event): void => {
      const found = hintTargetOf(event.target, event.type === 'focusin')
      if (found === target) return
      hide()
      target = found
      if (found !== null) timer = setTimeout(show, delayMs)
    }
    const hide = (): void => {
      clearTimeout(timer)
      target = null
      setShown(null)
    }
    const showEvents = ['pointerover', 'focusin'] as const
    const hideEvents = ['pointerleave', 'focusout', 'keydown', 'pointerdown'] as const
    for (const name of showEvents) frame.addEventListener(name, enter)
    for (const name of hideEvents) frame.addEventListener(name, hide)
    frame.addEventListener('scroll', hide, { capture: true, passive: true })
    return () => {
      clearTimeout(timer)
      for (const name of showEvents) frame.removeEventListener(name, enter)
      for (const name of hideEvents) frame.removeEventListener(name, hide)
      frame.removeEventListener('scroll', hide, { capture: true })
    }
  }, [root])
  if (shown === null) return null
  return (
    <Portal>
      <div role="tooltip" className={styles['hint']} style={{ left: shown.left, top: shown.top }}>
        {shown.text}
      </div>
    </Portal>
  )
}
