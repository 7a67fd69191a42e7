/** Where a tab keeps the values a prompt is tried with, as typed. They may be private, so they go nowhere else. */
export const samplesKey = (promptId: string): string => `promptdeck.samples.${promptId}`

/** Those of the prompt's own page, for a page that does not show it. */
export function samplesOf(promptId: string): Readonly<Record<string, string>> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(samplesKey(promptId)) ?? '{}')
    if (typeof kept !== 'object' || kept === null) return {}
    return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}
