import { Portal } from '@mantine/core'
import { type RefObject, useEffect, useState } from 'react'
import styles from './TableHints.module.css'

type Shown = { readonly text: string; readonly left: number; readonly top: number }

const delayMs = 350
/** Half the width of the widest usual hint, in pixels. Keeps hints inside the window. */
const edge = 110

/**
 * Returns the element whose hint is shown: the value under the pointer, or the first with a hint in the
 * focused row.
 */
function hinted(target: EventTarget | null, isFocus: boolean): HTMLElement | null {
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
    let about: HTMLElement | null = null
    const show = (): void => {
      const text = about?.dataset['hint']
      if (about === null || text === undefined || !about.isConnected) return
      const box = about.getBoundingClientRect()
      const middle = box.left + box.width / 2
      setShown({
        text,
        left: Math.min(Math.max(middle, edge), window.innerWidth - edge),
        top: box.top,
      })
    }
    const enter = (event: Event): void => {
      const found = hinted(event.target, event.type === 'focusin')
      if (found === about) return
      hide()
      about = found
      if (found !== null) timer = setTimeout(show, delayMs)
    }
    const hide = (): void => {
      clearTimeout(timer)
      about = null
      setShown(null)
    }
    const starts = ['pointerover', 'focusin'] as const
    const ends = ['pointerleave', 'focusout', 'keydown', 'pointerdown'] as const
    for (const name of starts) frame.addEventListener(name, enter)
    for (const name of ends) frame.addEventListener(name, hide)
    frame.addEventListener('scroll', hide, { capture: true, passive: true })
    return () => {
      clearTimeout(timer)
      for (const name of starts) frame.removeEventListener(name, enter)
      for (const name of ends) frame.removeEventListener(name, hide)
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
