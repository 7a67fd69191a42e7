/** Returns the delay in milliseconds that a Retry-After header asks for, in seconds or as a date (RFC 9110, 10.2.3); null without one. */
export function retryAfterMsOf(header: string | null | undefined): number | null {
  if (!header) return null
  const seconds = Number(header)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}
