import { client } from '../lib/service/api.ts'
import { session } from '../lib/session/session.ts'

/** Ends the session. Even if the service does not answer, this browser removes the token. */
export async function signOut(): Promise<void> {
  await client.auth.logout({}).catch(() => undefined)
  session.signOut('signed_out')
}
