import { client } from '../lib/service/api.ts'
import { session } from '../lib/session/session.ts'

/** Ends the session. This browser removes the token even if the service does not reply. */
export async function signOut(): Promise<void> {
  await client.auth.logout({}).catch(() => undefined)
  session.signOut('signed_out')
}
