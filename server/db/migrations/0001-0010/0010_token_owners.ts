import type { Migration } from '../migration.ts'

/** Owners of API tokens, and the user of a live frame. */
export const tokenOwners: Migration = {
  version: 10,
  name: 'token_owners',
  statements: [
    `ALTER TABLE api_tokens ADD COLUMN created_by_id TEXT`,
    // Tokens from before this version keep their role and expiry until an admin decides about them.
    `ALTER TABLE api_tokens ADD COLUMN binding TEXT NOT NULL DEFAULT 'undecided'
      CHECK (binding IN ('undecided', 'owner', 'service'))`,
    // No foreign key to users: a token whose owner is deleted is refused, and the list shows the reason.
    `ALTER TABLE api_tokens ADD COLUMN owner_kind TEXT CHECK (owner_kind IN ('user', 'api_token'))`,
    `ALTER TABLE api_tokens ADD COLUMN owner_id TEXT`,
    `CREATE INDEX api_tokens_owner ON api_tokens (owner_id)`,
    `CREATE INDEX api_tokens_binding ON api_tokens (binding, id)`,
    `ALTER TABLE events ADD COLUMN user_id TEXT`,
  ],
}
