import { Secret, TOTP } from 'otpauth'

/** The parameters that every authenticator app supports (RFC 6238; RFC 4226 requires 160 bits or more). */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const issuer = 'Promptdeck'
const secretBytes = 20

/** Returns a random secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32

const totpOf = (secret: string, label = '') =>
  new TOTP({ ...parameters, issuer, label, secret: Secret.fromBase32(secret) })

/** Returns the `otpauth:` address of a secret, for a QR code. */
export const totpUri = (secret: string, username: string): string => totpOf(secret, username).toString()

/**
 * Returns the time step whose code this is, or null. Accepts the current step and one before and after, because
 * clocks differ. The library compares in constant time.
 */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  // The library throws for six characters that are not all digits.
  if (!/^\d{6}$/.test(code)) return null
  const totp = totpOf(secret)
  const timestamp = now.getTime()
  const delta = totp.validate({ token: code, timestamp, window: 1 })
  return delta === null ? null : totp.counter({ timestamp }) + delta
}
