import { client } from '../service/api.ts'
import { session } from './session.ts'

/**
 * Ends the session, in this browser first: the service closes the live connection when it signs out, which must not
 * count as an expired session. The token is also removed if the service does not reply.
 */
export async function signOut(): Promise<void> {
  const token = session.token()
  session.signOut('signed_out')
  const headers = { authorization: `Bearer ${token}` }
  await client.auth.logout({}, { headers }).catch(() => undefined)
}
