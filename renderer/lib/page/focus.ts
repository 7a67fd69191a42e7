import { useEffect, useState } from 'react'

/** Elements that had the focus before the newest dialog opened, innermost first. */
let latest: readonly HTMLElement[] = []

/**
 * Returns the focused element, then those of the surrounding dialogs. For a menu item it is the menu's
 * button, because the item disappears with its menu.
 */
function places(): readonly HTMLElement[] {
  const at = document.activeElement
  const menu = at?.closest('[role="menu"]')
  const from = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : at
  const isInDialog = at?.closest('[aria-modal="true"]') != null
  return [...(from instanceof HTMLElement ? [from] : []), ...(isInDialog ? latest : [])]
}

/**
 * Returns the focus to where it was when a dialog unmounts. If that element is gone, because its own dialog
 * closed too, the focus goes to the element that had it before that dialog. Use it in a dialog that is
 * mounted to open.
 */
export function useFocusBack(): void {
  const [from] = useState(places)
  useEffect(() => {
    latest = from
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost) from.find((one) => one.isConnected)?.focus({ preventScroll: true })
    }
  }, [from])
}
