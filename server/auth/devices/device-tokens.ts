import { hash, randomBytes } from 'node:crypto'

const prefix = 'pd_dev_'

/** Returns the SHA-256 of a token of 256 random bits, which needs no salt because it cannot be guessed. */
export const deviceHashOf = (token: string): string => hash('sha256', token, 'hex')

/** Returns true if a text has the form of a device token. */
export const isDeviceToken = (token: string): boolean => token.startsWith(prefix)

/** Creates a device token of 256 random bits, with the hash to store. */
export function newDeviceToken(): { readonly token: string; readonly hash: string } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`
  return { token, hash: deviceHashOf(token) }
}
