import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'

/** public/first.js reads this key before the first paint. The value is plain text, not JSON. */
const storageKey = 'promptdeck.scheme'

const isScheme = (value: unknown): value is MantineColorScheme =>
  value === 'light' || value === 'dark' || value === 'auto'

/**
 * Creates the store of the colour scheme, in the format public/first.js reads. Follows changes made in other
 * tabs.
 */
export function createSchemeManager(): MantineColorSchemeManager {
  let onStorage: ((event: StorageEvent) => void) | undefined
  return {
    get: (fallback) => {
      try {
        const value = localStorage.getItem(storageKey)
        return isScheme(value) ? value : fallback
      } catch {
        return fallback
      }
    },
    set: (value) => {
      try {
        localStorage.setItem(storageKey, value)
      } catch {
        // Storage is blocked: the choice is lost when the page is left.
      }
    },
    subscribe: (onUpdate) => {
      onStorage = (event) => {
        if (event.key === storageKey && isScheme(event.newValue)) onUpdate(event.newValue)
      }
      window.addEventListener('storage', onStorage)
    },
    unsubscribe: () => {
      if (onStorage !== undefined) window.removeEventListener('storage', onStorage)
    },
    clear: () => localStorage.removeItem(storageKey),
  }
}
