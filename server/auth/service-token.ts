import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** In force until SERVICE_TOKEN is set or a token is made in the settings; the service then stays on loopback. */
export const defaultServiceToken = 'promptdeck-dev-token'
/** Shorter ones count as guessable, and the service stays on loopback. */
export const minServiceTokenLength = 32

export type ServiceTokenSource = 'environment' | 'stored' | 'default'
/** What is kept of a token made in the settings. */
export type StoredServiceToken = { readonly hash: string; readonly hint: string }

export type ServiceToken = {
  /** Whether `token` is the service token, in a time that tells nothing about it. */
  matches(token: string): boolean
  source(): ServiceTokenSource
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

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

export function sourceOf(
  fromEnvironment: string | null,
  stored: StoredServiceToken | null,
): ServiceTokenSource {
  if (fromEnvironment !== null) return 'environment'
  return stored ? 'stored' : 'default'
}

/** A new token of 256 random bits, and what to keep of it. */
export function newServiceToken(): { readonly token: string; readonly stored: StoredServiceToken } {
  const token = `pd_svc_${randomBytes(32).toString('base64url')}`
  return { token, stored: { hash: sha256(token).toString('hex'), hint: token.slice(-4) } }
}
