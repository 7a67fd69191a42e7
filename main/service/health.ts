/** Time limit of a health request, in milliseconds. */
const timeoutMs = 3_000

/**
 * Returns true if a Promptdeck service replies at this address. That includes a service that replies 503
 * because its store has failed: the console shows the reason.
 */
export async function isServiceRunning(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null && 'ok' in body && 'version' in body
  } catch {
    return false
  }
}
