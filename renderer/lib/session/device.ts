import { deviceHeader } from '../../../contract/accounts/pairing.ts'

/**
 * Key of the token that marks this browser as paired, in localStorage, because it must outlast sign-outs. It
 * signs nobody in: every sign-in still needs a password.
 */
const storageKey = 'promptdeck.device'

export const storeDeviceToken = (token: string): void => localStorage.setItem(storageKey, token)

/** Returns the header with which this browser signs in; empty if it is not paired. */
export function deviceHeaders(): Readonly<Record<string, string>> {
  const token = localStorage.getItem(storageKey)
  return token === null ? {} : { [deviceHeader]: token }
}
