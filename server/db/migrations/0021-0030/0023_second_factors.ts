import type { Migration } from '../migration.ts'

/** Second factors, recovery codes, passkeys, password links, and the places from which users sign in. */
export const secondFactors: Migration = {
  version: 23,
  name: 'second_factors',
  statements: [
    // 1 if the user has a row in second_factors. Stored here too, because each request with a session reads the user.
    `ALTER TABLE users ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1))`,
    `ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'password'`,
    `CREATE TABLE second_factors (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secret TEXT NOT NULL,
      last_step INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE recovery_codes (
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      hash TEXT NOT NULL,
      PRIMARY KEY (user_id, hash)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      credential_id TEXT NOT NULL UNIQUE,
      public_key TEXT NOT NULL,
      counter INTEGER NOT NULL,
      transports TEXT NOT NULL,
      rp_id TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX passkeys_user ON passkeys (user_id, created_at)`,
    `CREATE TABLE password_links (
      hash TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX password_links_user ON password_links (user_id)`,
    `CREATE TABLE sign_in_places (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      device TEXT NOT NULL,
      network TEXT NOT NULL,
      ip TEXT NOT NULL,
      user_agent TEXT NOT NULL,
      method TEXT NOT NULL,
      is_new INTEGER NOT NULL CHECK (is_new IN (0, 1)),
      count INTEGER NOT NULL,
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      UNIQUE (user_id, device, network)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX sign_in_places_user ON sign_in_places (user_id, last_at)`,
  ],
}
