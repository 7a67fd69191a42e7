import type { Migration } from '../migration.ts'

/**
 * Settings of model providers. NULL in a column means the built-in value; no row means built-in values for
 * all.
 */
export const providers: Migration = {
  version: 5,
  name: 'providers',
  statements: [
    `CREATE TABLE providers (
      name TEXT PRIMARY KEY,
      base_url TEXT,
      -- Sealed under a key that is not in here (server/secrets); a copy of the database alone opens nothing.
      key_sealed TEXT,
      key_hint TEXT,
      key_set_at INTEGER,
      models TEXT,
      default_model TEXT,
      enabled INTEGER CHECK (enabled IN (0, 1)),
      local INTEGER CHECK (local IN (0, 1)),
      concurrency INTEGER CHECK (concurrency > 0),
      updated_at INTEGER NOT NULL,
      updated_by TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
}
