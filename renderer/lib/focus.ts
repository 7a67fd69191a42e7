import { useEffect, useState } from 'react'

/** Where the dialog that was opened last was opened from, and where the one around that was. */
let latest: readonly HTMLElement[] = []

/** Where the focus is now; a line of a menu goes with its menu, so the menu's button counts. */
function places(): readonly HTMLElement[] {
  const at = document.activeElement
  const menu = at?.closest('[role="menu"]')
  const from = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : at
  const isInDialog = at?.closest('[aria-modal="true"]') != null
  return [...(from instanceof HTMLElement ? [from] : []), ...(isInDialog ? latest : [])]
}

/**
 * For a dialog that is mounted to open and unmounted to close: gives the focus back to where it was, or, when that is
 * gone with a dialog of its own, to where that one was opened from.
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
