import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'

export type Issued = { readonly challenge: string; readonly expiresAt: Date }

/** Values that wait for a second request, each under a random challenge. In memory: a restart ends them. */
export type Challenges<T> = {
  /** `owner`: the user or network whose challenges are limited together. */
  issue(owner: string, value: T): Issued
  /** Returns the value of a challenge that has not expired, else null. */
  find(challenge: string): T | null
  /** Like `find`, and ends the challenge. */
  take(challenge: string): T | null
}

export type ChallengesOptions = {
  readonly clock: Clock
  readonly lifetimeMs: number
  /** Maximum number per owner, and of all. The oldest is removed first. */
  readonly perOwner?: number
  readonly max?: number
}

type Entry<T> = { readonly owner: string; readonly value: T; readonly expiresAtMs: number }

/** Challenges are kept as hashes, so that a comparison takes as long for a wrong one. */
const keyOf = (challenge: string): string => createHash('sha256').update(challenge).digest('base64url')

export function createChallenges<T>({
  clock,
  lifetimeMs,
  perOwner = 8,
  max = 10_000,
}: ChallengesOptions): Challenges<T> {
  /** The oldest first, because all have the same lifetime. */
  const entries = new Map<string, Entry<T>>()

  const removeSurplus = (owner: string, nowMs: number) => {
    for (const [key, { expiresAtMs }] of entries) {
      if (expiresAtMs > nowMs && entries.size < max) break
      entries.delete(key)
    }
    const own = [...entries].filter(([, entry]) => entry.owner === owner)
    for (const [key] of own.slice(0, Math.max(0, own.length - perOwner + 1))) entries.delete(key)
  }
  const find = (challenge: string): T | null => {
    const entry = entries.get(keyOf(challenge))
    return entry !== undefined && entry.expiresAtMs > clock.now().getTime() ? entry.value : null
  }

  return {
    issue(owner, value) {
      const nowMs = clock.now().getTime()
      removeSurplus(owner, nowMs)
      const challenge = randomBytes(32).toString('base64url')
      const expiresAtMs = nowMs + lifetimeMs
      entries.set(keyOf(challenge), { owner, value, expiresAtMs })
      return { challenge, expiresAt: new Date(expiresAtMs) }
    },
    find,
    take(challenge) {
      const value = find(challenge)
      entries.delete(keyOf(challenge))
      return value
    },
  }
}
