import { client } from '../lib/api.ts'
import { session } from '../lib/session.ts'

/** Ends the session. Whatever the service says, this browser forgets the token. */
export async function signOut(): Promise<void> {
  await client.auth.logout({}).catch(() => undefined)
  session.signOut('signed_out')
}
