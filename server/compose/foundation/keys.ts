import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/types.ts'
import { tableHead } from '../../history/chain/table-head.ts'
import type { OsKeyStore } from '../../secrets/os-key-store.ts'
import { namesOfStoredKeys, requireSameKeys, sealedKeys } from '../../secrets/sealed-keys.ts'
import { folderOfKeys, shareKeys } from '../../secrets/shared-keys.ts'

const providersKey = 'providers.key'

/**
 * Gives this instance the keys of all instances of its database, and refuses other ones. Everything else reads the keys in
 * the data folder. Does nothing without a database: the keys belong to one process then. Returns true for an instance
 * that had no keys yet.
 */
export async function prepareKeys(
  { dataDir, database }: Pick<Config, 'dataDir' | 'database'>,
  db: Db,
  storeId: string | null,
  osStore: OsKeyStore | null,
): Promise<{ readonly isNewInstance: boolean }> {
  if (database === null) return { isNewInstance: false }
  const { keysDir, keysSecret } = database
  const folder = join(dataDir, 'keys')
  const own = folderOfKeys(folder)
  const isNewInstance = (await own.read('audit.key')) === null
  // One instance at a time, so that two do not create different keys.
  await db.write(
    async ({ q }) => {
      const sealed = keysSecret === null ? null : sealedKeys(q, keysSecret, storeId ?? '')
      const shared = keysDir === null ? sealed : folderOfKeys(keysDir)
      const isLogSigned = (await tableHead(q)).id > 0
      const stored = await namesOfStoredKeys(q)
      await shareKeys(own, shared, {
        mayCreate: (name) => !stored.has(name) && mayCreate(name, isLogSigned, osStore !== null),
        async check(keys) {
          const checked = [...keys].filter(([name]) => osStore === null || name !== providersKey)
          await requireSameKeys(q, new Map(checked), folder)
        },
      })
    },
    { evenWhenFull: true },
  )
  return { isNewInstance }
}

/**
 * The audit log records a new key if it has entries, so the key is created there. The desktop app keeps the keys of
 * providers in the key store of the computer.
 */
const mayCreate = (name: string, isLogSigned: boolean, hasOsStore: boolean): boolean =>
  name === 'audit.key' ? !isLogSigned : name !== providersKey || !hasOsStore
