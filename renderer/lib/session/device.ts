import { deviceHeader } from '../../../contract/accounts/pairing.ts'
import { browserValues } from '../state/storage.ts'

/**
 * Key of the token that marks this browser as paired, in localStorage, because it must outlast sign-outs. It
 * signs nobody in: every sign-in still needs a password.
 */
const storageKey = 'promptdeck.device'

export const storeDeviceToken = (token: string): void => browserValues.setItem(storageKey, token)

/** Returns the header with which this browser signs in; empty if it is not paired. */
export function deviceHeaders(): Readonly<Record<string, string>> {
  const token = browserValues.getItem(storageKey)
  return token === null ? {} : { [deviceHeader]: token }
}
