import { hash, randomBytes } from 'node:crypto'
import type { Tx } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'

export type Issued = { readonly challenge: string; readonly expiresAt: Date }

/** Values that wait for a second request, each under a random challenge. */
export type Challenges<T> = {
  /** `owner`: the user or network whose challenges are limited together. */
  issue(owner: string, value: T): Promise<Issued>
  /** Returns the value of a challenge that has not expired, else null. */
  find(challenge: string): Promise<T | null>
  /** Like `find`, and ends the challenge. */
  take(challenge: string): Promise<T | null>
  /** Ends the challenge with a transaction. Returns false if it has expired, or another request ended it first. */
  takeIn(tx: Tx, challenge: string): Promise<boolean>
  /** Replaces the value with the result of `change`; null ends the challenge. */
  update(challenge: string, change: (value: T) => T | null): Promise<void>
}

/** Maximum number of challenges of an owner, and of all. The oldest is removed first. */
export const maxPerOwner = 8
export const maxChallenges = 10_000

export type ChallengesOptions = {
  readonly clock: Clock
  readonly lifetimeMs: number
}

type Entry<T> = { readonly owner: string; readonly value: T; readonly expiresAtMs: number }

/** Challenges are stored as hashes, so that the time of a look-up reveals nothing about a valid one. */
export const challengeKey = (challenge: string): string => hash('sha256', challenge, 'base64url')

export const newChallenge = (): string => randomBytes(32).toString('base64url')

/** Creates challenges in memory: a restart ends them. */
export function createChallenges<T>({ clock, lifetimeMs }: ChallengesOptions): Challenges<T> {
  /** The oldest first, because all have the same lifetime. */
  const entries = new Map<string, Entry<T>>()

  const removeSurplus = (owner: string, nowMs: number) => {
    for (const [key, { expiresAtMs }] of entries) {
      if (expiresAtMs > nowMs && entries.size < maxChallenges) break
      entries.delete(key)
    }
    const own = [...entries].filter(([, entry]) => entry.owner === owner)
    for (const [key] of own.slice(0, Math.max(0, own.length - maxPerOwner + 1))) entries.delete(key)
  }
  const find = (challenge: string): Entry<T> | null => {
    const entry = entries.get(challengeKey(challenge))
    return entry !== undefined && entry.expiresAtMs > clock.now().getTime() ? entry : null
  }

  return {
    async issue(owner, value) {
      const nowMs = clock.now().getTime()
      removeSurplus(owner, nowMs)
      const challenge = newChallenge()
      const expiresAtMs = nowMs + lifetimeMs
      entries.set(challengeKey(challenge), { owner, value, expiresAtMs })
      return { challenge, expiresAt: new Date(expiresAtMs) }
    },
    find: async (challenge) => find(challenge)?.value ?? null,
    async take(challenge) {
      const entry = find(challenge)
      entries.delete(challengeKey(challenge))
      return entry?.value ?? null
    },
    async takeIn(tx, challenge) {
      // Transactions run one after another, so no other one can take it before this one commits.
      tx.afterCommit(() => entries.delete(challengeKey(challenge)))
      return find(challenge) !== null
    },
    async update(challenge, change) {
      const entry = find(challenge)
      if (entry === null) return
      const value = change(entry.value)
      if (value === null) entries.delete(challengeKey(challenge))
      // An entry that exists keeps its place in the order.
      else entries.set(challengeKey(challenge), { ...entry, value })
    },
  }
}
