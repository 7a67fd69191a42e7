import type { Migration } from '../migration.ts'

/** Tables that several instances on one database share. Unused by the embedded store. */
export const instances: Migration = {
  version: 32,
  name: 'instances',
  statements: [
    `ALTER TABLE events ADD COLUMN client_ids TEXT`,
    `CREATE TABLE instance_signals (
      id INTEGER PRIMARY KEY,
      instance_id TEXT NOT NULL,
      payload TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE shared_values (
      scope TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (scope, name)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX shared_values_expires_at ON shared_values (expires_at)`,
  ],
}
