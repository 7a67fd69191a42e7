/** Milliseconds per unit of time. */
const times: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
}

/**
 * Parses a number as people type it: `1500`, `1,500`, and if the unit is `ms` also `1.5 s` or `2 min`.
 * Returns whole units of the field, or null if the text is not a number.
 */
export function parseMeasure(text: string, unit: string | undefined): number | null {
  const found = /^(?<figure>\d+(?:,\d{3})*(?:\.\d+)?)\s*(?<suffix>[a-z]*)$/i.exec(text.trim())?.groups
  if (found === undefined) return null
  const figure = Number((found['figure'] ?? '').replaceAll(',', ''))
  const suffix = (found['suffix'] ?? '').toLowerCase()
  const factor = suffix === '' || suffix === unit ? 1 : unit === 'ms' ? times[suffix] : undefined
  return factor === undefined ? null : Math.round(figure * factor)
}
