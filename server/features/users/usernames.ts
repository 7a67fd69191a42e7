import { isReservedName } from '../../auth/reserved-names.ts'
import type { Query } from '../../db/types.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { fold } from '../../lib/text/search.ts'
import { findUserByFolded } from './users.store.ts'

/** Throws 422 for a name that could be confused with an actor that is not a user. */
export function requireUsableUsername(username: string): void {
  if (fold(username).trim() === '') throw invalid('username', 'A username needs a visible character')
  if (isReservedName(username)) throw invalid('username', 'This name is reserved by the service')
}

/**
 * Throws 409 if another user than `userId` has the name, ignoring case and width. Call inside the transaction
 * that stores the name.
 */
export async function requireFreeUsername(q: Query, username: string, userId: string | null): Promise<void> {
  const holder = await findUserByFolded(q, fold(username))
  if (holder && holder.id !== userId) {
    const message = `The username ${username} is taken`
    throw fail('user.username_taken', { detail: `${message}.`, errors: [{ path: 'username', message }] })
  }
}
