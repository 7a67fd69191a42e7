import type { KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { z } from 'zod'

/** The content of a session token. It has no role: that is read from the store on every request. */
export type TokenClaims = {
  readonly sessionId: string
  readonly userId: string
  readonly expiresAtMs: number
}

export type Tokens = {
  issue(session: { id: string; userId: string; createdAtMs: number; expiresAtMs: number }): string
  /**
   * Returns null unless the token is valid and unexpired. Does not check whether the session still exists.
   */
  verify(token: string, now: Date): TokenClaims | null
}

const issuer = 'promptdeck'
const audience = 'promptdeck'
const tokenType = 'session'
const maxTokenLength = 2048
/**
 * Pre-check of a token: the exception that jwt.verify throws costs more than all other look-ups of a request.
 */
const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/

const Claims = z.object({
  typ: z.literal(tokenType),
  sid: z.string().min(1),
  sub: z.string().min(1),
  iat: z.int(),
  exp: z.int(),
})

/**
 * Issues and verifies session tokens. `key` is a KeyObject, because jsonwebtoken would convert a string on
 * every call (46 % of the time of a request).
 */
export function createTokens({ key, maxCached = 10_000 }: { key: KeyObject; maxCached?: number }): Tokens {
  /** Tokens whose signature is verified, in order of first use. */
  const cache = new Map<string, TokenClaims>()

  return {
    issue({ id, userId, createdAtMs, expiresAtMs }) {
      const claims = {
        iss: issuer,
        aud: audience,
        typ: tokenType,
        sid: id,
        sub: userId,
        iat: Math.floor(createdAtMs / 1000),
        exp: Math.floor(expiresAtMs / 1000),
      }
      return jwt.sign(claims, key, { algorithm: 'HS256' })
    },
    verify(token, now) {
      const known = cache.get(token)
      if (known !== undefined) return known.expiresAtMs > now.getTime() ? known : null
      if (token.length > maxTokenLength || !shape.test(token)) return null
      const claims = check(token, key, now)
      if (claims === null) return null
      if (cache.size >= maxCached) {
        const [oldest] = cache.keys()
        if (oldest !== undefined) cache.delete(oldest)
      }
      cache.set(token, claims)
      return claims
    },
  }
}

function check(token: string, key: KeyObject, now: Date): TokenClaims | null {
  let decoded: unknown
  try {
    const clockTimestamp = Math.floor(now.getTime() / 1000)
    decoded = jwt.verify(token, key, { algorithms: ['HS256'], issuer, audience, clockTimestamp })
  } catch {
    // An expired, altered or malformed token, or another algorithm: the library throws errors of several
    // classes. Every other argument is ours, so the token is the cause.
    return null
  }
  const claims = Claims.safeParse(decoded)
  if (!claims.success) return null
  return { sessionId: claims.data.sid, userId: claims.data.sub, expiresAtMs: claims.data.exp * 1000 }
}
