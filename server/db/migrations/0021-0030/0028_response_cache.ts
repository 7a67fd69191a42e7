import type { Migration } from '../migration.ts'

/** The time for which the gateway replies to the same request of a token from memory. */
export const responseCache: Migration = {
  version: 28,
  name: 'response cache',
  statements: [`ALTER TABLE api_tokens ADD COLUMN cache_seconds INTEGER`],
}
