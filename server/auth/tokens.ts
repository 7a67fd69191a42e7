import type { KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { z } from 'zod'

/** What a session token proves. Never a role: that is read from the store on every request. */
export type TokenClaims = {
  readonly sessionId: string
  readonly userId: string
  readonly expiresAtMs: number
}

export type Tokens = {
  issue(session: { id: string; userId: string; createdAtMs: number; expiresAtMs: number }): string
  /** Null for anything but an unexpired token of ours. Whether its session still lives is another question. */
  verify(token: string, now: Date): TokenClaims | null
}

const issuer = 'promptdeck'
const audience = 'promptdeck'
const tokenType = 'session'
const maxTokenLength = 2048
/** Anything else is not worth the library's exception, which costs more than the rest of the request's look-ups. */
const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/

const Claims = z.object({
  typ: z.literal(tokenType),
  sid: z.string().min(1),
  sub: z.string().min(1),
  iat: z.int(),
  exp: z.int(),
})

/** `key` is a KeyObject, because a string would be turned into one on every call (46 % of a request). */
export function createTokens({ key, maxCached = 10_000 }: { key: KeyObject; maxCached?: number }): Tokens {
  /** Tokens whose signature was checked before, in order of first use. */
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
    // Expired, tampered with, of another algorithm, or no JSON where a token has an object: the library throws errors of
    // many classes, and the token is the only thing given to it that is not ours.
    return null
  }
  const claims = Claims.safeParse(decoded)
  if (!claims.success) return null
  return { sessionId: claims.data.sid, userId: claims.data.sub, expiresAtMs: claims.data.exp * 1000 }
}
