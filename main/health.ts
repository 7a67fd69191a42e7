/** A question that takes longer than this is one without an answer, ms. */
const patienceMs = 3_000

/**
 * Whether a Promptdeck answers at this address. One whose store has failed answers 503 and is there all the same: the
 * console says what is wrong with it.
 */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, {
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    })
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null && 'ok' in body && 'version' in body
  } catch {
    return false
  }
}
