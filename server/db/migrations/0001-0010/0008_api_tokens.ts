import type { Migration } from '../migration.ts'

/** API tokens of apps. Only a hash of the secret is stored. */
export const apiTokens: Migration = {
  version: 8,
  name: 'api_tokens',
  statements: [
    // No foreign key: a token remains when its workspace is deleted, and then has access to nothing.
    `CREATE TABLE api_tokens (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
      hash TEXT NOT NULL UNIQUE,
      hint TEXT NOT NULL,
      workspace_id TEXT,
      namespaces TEXT,
      expires_at INTEGER,
      last_used_at INTEGER,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX api_tokens_created ON api_tokens (created_at, id)`,
    `CREATE INDEX api_tokens_name ON api_tokens (name_folded, id)`,
  ],
}
