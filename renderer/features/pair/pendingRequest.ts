import { z } from 'zod'
import { tabValues } from '../../lib/state/storage.ts'

/** A request that waits for an admin, as this tab remembers it. */
const Pending = z.object({
  request_id: z.string(),
  request_secret: z.string(),
  name: z.string(),
  words: z.array(z.string()),
  expires_at: z.string(),
})
export type Pending = z.infer<typeof Pending>

/** Reason why a request ended without access. */
export type Ending = 'refused' | 'expired' | 'closed'

/** Key in sessionStorage: phones unload pages in the background, and the request must not be lost. */
const storageKey = 'promptdeck.pairing'

export function readPending(): Pending | null {
  const text = tabValues.getItem(storageKey)
  return text === null ? null : (Pending.safeParse(JSON.parse(text)).data ?? null)
}

export function writePending(pending: Pending | null): void {
  if (pending === null) tabValues.removeItem(storageKey)
  else tabValues.setItem(storageKey, JSON.stringify(pending))
}
