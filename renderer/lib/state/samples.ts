import { useSessionStorage } from '@mantine/hooks'
import { useMe } from '../session/me.ts'

const keyOf = (username: string, id: string): string => `promptdeck.samples.${username}.${id}`

/**
 * State with the values that the user typed for a prompt, an agent or a workflow. They may be confidential, so they are
 * stored in session storage only, and shown to no other user.
 */
export function useSampleValues<T>(id: string, defaultValue: T) {
  const { username } = useMe()
  return useSessionStorage<T>({ key: keyOf(username, id), defaultValue, getInitialValueInEffect: false })
}

/** Returns the values typed on the prompt's own page, for use on other pages. */
export function samplesOf(username: string, id: string): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(username, id)) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}
