import { useEffect, useState } from 'react'

/** Elements that had the focus before the newest dialog opened, innermost first. */
let focusChain: readonly HTMLElement[] = []

/**
 * Returns the focused element, then those of the surrounding dialogs. For a menu item it is the menu's
 * button, because the item disappears with its menu.
 */
function currentFocusChain(): readonly HTMLElement[] {
  const active = document.activeElement
  const menu = active?.closest('[role="menu"]')
  const opener = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : active
  const isInDialog = active?.closest('[aria-modal="true"]') != null
  return [...(opener instanceof HTMLElement ? [opener] : []), ...(isInDialog ? focusChain : [])]
}

/** If nothing has the focus, moves it to the first element that exists, else to the row that Tab reaches, or the page. */
export function restoreFocus(elements: readonly Element[]): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  const target =
    elements.find((element) => element.isConnected && element !== document.body) ??
    document.querySelector('#main tr[tabindex="0"]') ??
    document.querySelector('#main')
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}

/**
 * Restores the focus when a dialog unmounts. If the previous element no longer exists, because its own dialog
 * closed too, the element that had the focus before that dialog gets it. Use it in a dialog that is mounted
 * to open.
 */
export function useRestoredFocus(): void {
  const [chain] = useState(currentFocusChain)
  useEffect(() => {
    focusChain = chain
    return () => {
      restoreFocus(chain)
    }
  }, [chain])
}

/**
 * Returns the focus to a button once its request ends. The button is disabled meanwhile, which takes the focus from it.
 */
export function keepFocusOfButtons(): void {
  let last: EventTarget | null = null
  const isDisabled = (target: EventTarget | null) => target instanceof HTMLButtonElement && target.disabled
  addEventListener('focusin', ({ target }) => {
    last = target
  })
  addEventListener('focusout', ({ target }) => {
    if (!isDisabled(target)) last = null
  })
  new MutationObserver((changes) => {
    const button = changes.find(({ target }) => target === last && !isDisabled(target))?.target
    if (button instanceof HTMLElement && document.activeElement === document.body)
      button.focus({ preventScroll: true })
  }).observe(document.body, { attributeFilter: ['disabled'], subtree: true })
}
