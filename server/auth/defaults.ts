import type { Db } from '../db/types.ts'
import type { Defaults } from './binding.ts'
import { hasDefaultPassword } from './identity/identity.store.ts'
import type { ServiceToken } from './tokens/service-token.ts'

/** Reports which built-in credentials are still active. */
export type DefaultCredentials = {
  /** Reads from memory: /api/me calls this on every request. */
  active(): Defaults
  /** Reads the state from the store again. Call it after each change of users or passwords. */
  refresh(): Promise<void>
  /** Calls the listener when the state may have changed. Returns a function that removes it. */
  listen(listener: () => void): () => void
}

export async function createDefaultCredentials(deps: {
  readonly db: Db
  readonly serviceToken: ServiceToken
  /** Calls the listener when the settings, which contain the service token, change. */
  readonly onSettings: (listener: () => void) => () => void
}): Promise<DefaultCredentials> {
  let password = await hasDefaultPassword(deps.db.read)
  const listeners = new Set<() => void>()
  const announce = () => {
    for (const listener of listeners) listener()
  }
  deps.onSettings(announce)
  return {
    active: () => ({ password, token: deps.serviceToken.source() === 'default' }),
    async refresh() {
      password = await hasDefaultPassword(deps.db.read)
      announce()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
