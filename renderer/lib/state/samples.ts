/**
 * Returns the sessionStorage key of the sample values of a prompt. They may be confidential, so they are
 * stored nowhere else.
 */
export const samplesKey = (promptId: string): string => `promptdeck.samples.${promptId}`

/** Returns the values typed on the prompt's own page, for use on other pages. */
export function samplesOf(promptId: string): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(samplesKey(promptId)) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}
