import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { codeAlphabet, codeLength, normalizeCode } from '../../../contract/accounts/pairing.ts'

/** Bytes of the secret in a QR code: 128 bits. */
const secretBytes = 16
/** Bytes of the secret of a request, which the new device keeps in memory. */
const requestSecretBytes = 32

const sha256 = (text: string): string => hash('sha256', text, 'base64url')

/** The code or the secret of a window, as a new device sends it. */
export type Credential = { readonly kind: 'code' | 'secret'; readonly text: string }

/** The one-time code and secret of a window, with the hashes that are kept. */
export type WindowSecrets = {
  readonly code: string
  readonly secret: string
  /** SHA-256 in base64url, as every hash here. */
  readonly codeHash: string
  readonly secretHash: string
}

/** Creates a code of 40 random bits and a secret of 128. */
export function newWindowSecrets(): WindowSecrets {
  const symbols = Array.from({ length: codeLength }, () => codeAlphabet[randomInt(codeAlphabet.length)])
  const code = symbols.join('')
  const secret = randomBytes(secretBytes).toString('base64url')
  return { code, secret, codeHash: sha256(code), secretHash: sha256(secret) }
}

/** Creates the secret of a request, with the hash that is kept. */
export function newRequestSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomBytes(requestSecretBytes).toString('base64url')
  return { secret, hash: sha256(secret) }
}

/** Returns the hash of a received credential, for `isEqualHash`. Letters that look like digits count as those digits. */
export const hashOf = ({ kind, text }: Credential): Buffer =>
  Buffer.from(sha256(kind === 'code' ? normalizeCode(text) : text))

/** Compares in constant time: the hashes have the same length, whatever was sent. */
export const isEqualHash = (presented: Buffer, hash: string): boolean =>
  timingSafeEqual(presented, Buffer.from(hash))

export const matchesSecret = (text: string | undefined, hash: string): boolean =>
  isEqualHash(Buffer.from(sha256(text ?? '')), hash)
