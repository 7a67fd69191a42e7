import { isDeepStrictEqual } from 'node:util'
import type { Query, Tx } from '../../db/types.ts'
import { allProviders } from './providers.store.ts'
import type { Providers } from './providers.ts'

export const readRows = async (q: Query) => new Map((await allProviders(q)).map((row) => [row.name, row]))

/** Reads the rows again, because another instance may have changed them. */
export async function readAgain(providers: Providers): Promise<void> {
  const before = providers.rows
  providers.rows = await readRows(providers.db.read)
  for (const name of new Set([...before.keys(), ...providers.rows.keys()]))
    if (before.get(name)?.updated_at !== providers.rows.get(name)?.updated_at) providers.health.clearOwn(name)
}

const outdated = new Error('Another instance changed the provider meanwhile')

/** Throws unless the stored row is the one on which the change was planned. */
export async function requireCurrent(providers: Providers, { q }: Tx, name: string): Promise<void> {
  if (!isDeepStrictEqual((await readRows(q)).get(name), providers.rows.get(name))) throw outdated
}

/** Plans and stores a change on the stored rows, again if another instance changed one meanwhile. */
export const changeStored = <T>(providers: Providers, change: () => Promise<T>): Promise<T> =>
  providers.changes.run(async () => {
    for (;;) {
      await readAgain(providers)
      try {
        return await change()
      } catch (error) {
        if (error !== outdated) throw error
      }
    }
  })
