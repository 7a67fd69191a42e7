import { createSecretKey, hash, scryptSync } from 'node:crypto'
import { KeyFileError } from '../auth/key-file.ts'
import type { Query } from '../db/types.ts'
import { fingerprintOf, type KeyPlace, type Keys } from './shared-keys.ts'
import { createVault } from './vault.ts'

/** Returns access to the keys in the database, which are sealed with a secret that every instance has. */
export function sealedKeys(q: Query, secret: string, storeId: string): KeyPlace {
  const bytes = scryptSync(secret, `promptdeck keys ${storeId}`, 32)
  const key = createSecretKey(bytes)
  const id = hash('sha256', bytes, 'hex').slice(0, 8)
  const vault = createVault({
    find: (other) => (other === id ? key : null),
    current: async () => ({ id, key }),
    lostKeyReason:
      'KEYS_SECRET is not the secret with which they were sealed. Set the KEYS_SECRET of the other instances. If it was lost or is to be changed, stop every instance, run UPDATE shared_keys SET sealed = NULL in the database, and start first an instance with a complete keys folder',
    settled: async () => {},
  })
  return {
    description: 'the database',
    async list() {
      const rows = await q.selectFrom('shared_keys').select('name').where('sealed', 'is not', null).execute()
      return rows.map(({ name }) => name)
    },
    async read(name) {
      const row = await q
        .selectFrom('shared_keys')
        .select('sealed')
        .where('name', '=', name)
        .executeTakeFirst()
      if (row === undefined || row.sealed === null) return null
      const opened = vault.open('shared_keys', name, row.sealed)
      if ('text' in opened) return opened.text
      throw new KeyFileError(`The keys in the database cannot be opened: ${opened.problem}.`)
    },
    async write(name, lines) {
      const sealed = await vault.seal('shared_keys', name, lines)
      await q
        .insertInto('shared_keys')
        .values({ name, fingerprint: fingerprintOf(lines), sealed })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed }))
        .execute()
    },
  }
}

/** Returns the names of the keys whose fingerprints an instance stored. */
export async function namesOfStoredKeys(q: Query): Promise<ReadonlySet<string>> {
  const rows = await q.selectFrom('shared_keys').select('name').execute()
  return new Set(rows.map(({ name }) => name))
}

/** Stores the fingerprints of keys, and throws a `KeyFileError` if another instance stored a different one. */
export async function requireSameKeys(q: Query, keys: Keys, folder: string): Promise<void> {
  for (const [name, lines] of keys) {
    const fingerprint = lines === null ? null : fingerprintOf(lines)
    const row = await q
      .selectFrom('shared_keys')
      .select('fingerprint')
      .where('name', '=', name)
      .executeTakeFirst()
    if (row === undefined && fingerprint !== null)
      await q.insertInto('shared_keys').values({ name, fingerprint, sealed: null }).execute()
    else if (row !== undefined && row.fingerprint !== fingerprint) {
      // Fails on a standby, where the next error would not help.
      await q.deleteFrom('shared_keys').where('name', '=', '').execute()
      throw differs(name, folder, fingerprint)
    }
  }
}

function differs(name: string, folder: string, fingerprint: string | null): KeyFileError {
  const found = fingerprint === null ? 'is missing' : 'is not the one of the other instances of this database'
  return new KeyFileError(
    `The key ${name} in ${folder} ${found}. Give every instance the same keys: with KEYS_DIR, with KEYS_SECRET, or as copies of one keys folder. If the key was lost or replaced on purpose, stop every instance, run DELETE FROM shared_keys WHERE name = '${name}' in the database, and start again.`,
  )
}
