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
  // While a request is sent, nothing has the focus if its button had it.
  const place = active === document.body ? active.querySelector('[aria-modal="true"]') : active
  const isInDialog = place?.closest('[aria-modal="true"]') != null
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

/** Moves the focus from a removed button to its place. Lists and dialogs restore the focus themselves. */
function focusPlaceOf(button: Element, changes: readonly MutationRecord[]): void {
  const isIn = (node: Node): boolean => node.contains(button)
  const place = changes.find(({ removedNodes }) => [...removedNodes].some(isIn))?.target
  if (!(place instanceof HTMLElement) || place.closest('#main') === null) return
  if (button.closest('tr, [role="dialog"]') !== null) return
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus({ preventScroll: true })
}

/** Returns the focus to a button that its request disabled. If the button disappears, its place gets the focus. */
export function keepFocusOfButtons(): void {
  let last: EventTarget | null = null
  const isLost = (target: EventTarget | null) =>
    target instanceof HTMLButtonElement && (target.disabled || !target.isConnected)
  addEventListener('focusin', ({ target }) => {
    last = target
  })
  addEventListener('focusout', ({ target }) => {
    // An element that is being removed is still connected.
    queueMicrotask(() => {
      if (last === target && !isLost(target)) last = null
    })
  })
  new MutationObserver((changes) => {
    if (!(last instanceof HTMLButtonElement) || document.activeElement !== document.body) return
    if (!last.isConnected) focusPlaceOf(last, changes)
    else if (!last.disabled && changes.some(({ type, target }) => type === 'attributes' && target === last))
      last.focus({ preventScroll: true })
  }).observe(document.body, { attributeFilter: ['disabled'], childList: true, subtree: true })
}
