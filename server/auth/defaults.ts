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
}

export async function createDefaultCredentials(deps: {
  readonly db: Db
  readonly serviceToken: ServiceToken
}): Promise<DefaultCredentials> {
  let password = await hasDefaultPassword(deps.db.read)
  return {
    active: () => ({ password, token: deps.serviceToken.source() === 'default' }),
    async refresh() {
      password = await hasDefaultPassword(deps.db.read)
    },
  }
}
