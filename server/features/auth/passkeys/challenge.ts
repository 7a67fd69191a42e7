import { z } from 'zod'
import type { Challenges } from '../../../auth/challenges.ts'
import { fail } from '../../../lib/fail.ts'
import type { PasskeyPlace } from './origin.ts'

/** A challenge that waits for a browser: to sign in, or to add a passkey in a session. */
export type PasskeyChallenge = PasskeyPlace & { readonly sessionId: string | null }

const ClientData = z.object({ challenge: z.string() })

/** Returns the challenge in the signed data of a browser; null if the data cannot be read. */
function challengeOf(clientDataJSON: string): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    return ClientData.safeParse(data).data?.challenge ?? null
  } catch {
    // Not JSON: the browser cannot have sent it.
    return null
  }
}

/**
 * Ends the challenge of a reply and returns where it was issued. Each works once, whatever the reply is worth.
 * Throws 401 if it is unknown, expired, or issued for another purpose or page.
 */
export async function takeChallenge(
  challenges: Challenges<PasskeyChallenge>,
  clientDataJSON: string,
  expected: PasskeyChallenge,
): Promise<PasskeyPlace & { readonly challenge: string }> {
  const challenge = challengeOf(clientDataJSON)
  const issued = challenge === null ? null : await challenges.take(challenge)
  const isExpected =
    issued !== null && issued.sessionId === expected.sessionId && issued.origin === expected.origin
  if (challenge === null || !isExpected) {
    throw fail('auth.challenge_expired', {
      detail: 'The request took too long or was sent before. Start again.',
    })
  }
  return { challenge, origin: issued.origin, rpId: issued.rpId }
}
