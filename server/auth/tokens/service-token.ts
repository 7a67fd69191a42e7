import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The service token that is active until SERVICE_TOKEN is set or a token is created in the settings. While it
 * is active, the service listens on loopback only.
 */
const defaultServiceToken = 'promptdeck-dev-token'
/** Minimum length in characters. With a shorter SERVICE_TOKEN the service listens on loopback only. */
export const minServiceTokenLength = 32

export type ServiceTokenSource = 'environment' | 'stored' | 'default'
/** The stored form of a token that was created in the settings. */
export type StoredServiceToken = { readonly hash: string; readonly hint: string }

export type ServiceToken = {
  /** Compares in constant time, so the response time reveals nothing about the service token. */
  matches(token: string): boolean
  source(): ServiceTokenSource
}

const sha256 = (text: string) => hash('sha256', text, 'buffer')

export function createServiceToken(deps: {
  readonly fromEnvironment: string | null
  readonly stored: () => StoredServiceToken | null
}): ServiceToken {
  const fromEnvironment = deps.fromEnvironment === null ? null : sha256(deps.fromEnvironment)
  const builtIn = sha256(defaultServiceToken)
  return {
    matches(token) {
      const stored = deps.stored()
      const expected = fromEnvironment ?? (stored ? Buffer.from(stored.hash, 'hex') : builtIn)
      return timingSafeEqual(sha256(token), expected)
    },
    source: () => sourceOf(deps.fromEnvironment, deps.stored()),
  }
}

/** Returns the origin of the active service token. The environment takes precedence. */
export function sourceOf(
  fromEnvironment: string | null,
  stored: StoredServiceToken | null,
): ServiceTokenSource {
  if (fromEnvironment !== null) return 'environment'
  return stored ? 'stored' : 'default'
}

/** Creates a token of 256 random bits, with the values to store. */
export function newServiceToken(): { readonly token: string; readonly stored: StoredServiceToken } {
  const token = `pd_svc_${randomBytes(32).toString('base64url')}`
  return { token, stored: { hash: sha256(token).toString('hex'), hint: token.slice(-4) } }
}
