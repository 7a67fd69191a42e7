import {
  type Challenges,
  type ChallengesOptions,
  challengeKey,
  maxChallenges,
  maxPerOwner,
  newChallenge,
} from '../auth/challenges.ts'
import type { Db, Query } from '../db/types.ts'
import type { Vault } from '../secrets/vault.ts'
import {
  findValue,
  putValue,
  removeExpiredValues,
  removeValue,
  surplusValues,
  type ValueKey,
} from './shared-values.store.ts'

type Deps = Pick<ChallengesOptions, 'clock' | 'lifetimeMs'> & {
  readonly db: Db
  readonly vault: Vault
  /** Names the kind of challenge. */
  readonly scope: string
}

/**
 * Creates challenges that all instances share. Values are encrypted, because they contain secrets. They are
 * stored as JSON, so `T` must be serializable.
 */
export function createSharedChallenges<T>(deps: Deps): Challenges<T> {
  const { db, clock, lifetimeMs, scope } = deps
  const keyOf = (challenge: string): ValueKey => ({ scope, name: challengeKey(challenge) })
  const write = <R>(work: (q: Query) => Promise<R>): Promise<R> =>
    db.write(({ q }) => work(q), { evenWhenFull: true })
  const find = (q: Query, challenge: string): Promise<Stored<T> | null> =>
    findStored(deps, q, keyOf(challenge))

  return {
    async issue(owner, value) {
      const challenge = newChallenge()
      const nowMs = clock.now().getTime()
      const expiresAt = nowMs + lifetimeMs
      const key = keyOf(challenge)
      const sealed = await seal(deps, key, value)
      await write(async (q) => {
        await removeExpiredValues(q, { now: nowMs })
        await addToOwner(q, { scope, owner, name: key.name, expiresAt })
        await putValue(q, { ...key, value: sealed, expiresAt })
        for (const { name } of await surplusValues(q, { scope, max: maxChallenges }))
          await removeValue(q, { scope, name })
      })
      return { challenge, expiresAt: new Date(expiresAt) }
    },
    find: async (challenge) => (await find(db.read, challenge))?.value ?? null,
    take: (challenge) =>
      write(async (q) => {
        const stored = await find(q, challenge)
        await removeValue(q, keyOf(challenge))
        return stored?.value ?? null
      }),
    takeIn: async ({ q }, challenge) => {
      const stored = await find(q, challenge)
      return (await removeValue(q, keyOf(challenge))) > 0 && stored !== null
    },
    update: (challenge, change) =>
      write(async (q) => {
        const stored = await find(q, challenge)
        if (stored === null) return
        const changed = change(stored.value)
        const key = keyOf(challenge)
        if (changed === null) await removeValue(q, key)
        else await putValue(q, { ...key, value: await seal(deps, key, changed), expiresAt: stored.expiresAt })
      }),
  }
}

const seal = <T>({ vault }: Deps, { scope, name }: ValueKey, value: T): Promise<string> =>
  vault.seal(name, scope, JSON.stringify(value))

type Stored<T> = { readonly value: T; readonly expiresAt: number }

async function findStored<T>({ clock, vault }: Deps, q: Query, key: ValueKey): Promise<Stored<T> | null> {
  const [row] = await findValue(q, key)
  if (row === undefined || row.expires_at <= clock.now().getTime()) return null
  const opened = vault.open(key.name, key.scope, row.value)
  // A problem means that the key was replaced. `issue` and `update` wrote the value, so its type is `T`.
  return 'problem' in opened ? null : { value: JSON.parse(opened.text) as T, expiresAt: row.expires_at }
}

type Added = {
  readonly scope: string
  readonly owner: string
  readonly name: string
  readonly expiresAt: number
}

/** Records a challenge of an owner, and removes the oldest ones beyond the limit. */
async function addToOwner(q: Query, { scope, owner, name, expiresAt }: Added): Promise<void> {
  const key = { scope: `${scope} owner`, name: challengeKey(owner) }
  const [row] = await findValue(q, key)
  const names: readonly string[] = row === undefined ? [] : JSON.parse(row.value)
  for (const surplus of names.slice(0, Math.max(0, names.length - maxPerOwner + 1)))
    await removeValue(q, { scope, name: surplus })
  await putValue(q, { ...key, value: JSON.stringify([...names, name].slice(-maxPerOwner)), expiresAt })
}
