import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'

/** The key and values that public/first.js reads before the first paint. Plain text, not JSON. */
const storageKey = 'promptdeck.scheme'

const isScheme = (value: unknown): value is MantineColorScheme =>
  value === 'light' || value === 'dark' || value === 'auto'

/** Keeps the colour scheme where the script that runs before the first paint finds it, in step across tabs. */
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
        // Blocked: the choice holds until the page is left.
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
