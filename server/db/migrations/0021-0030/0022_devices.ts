import type { Migration } from '../migration.ts'

/** Paired devices, and the device of each session. Only a hash of a device's token is stored. */
export const devices: Migration = {
  version: 22,
  name: 'devices',
  statements: [
    `CREATE TABLE devices (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('browser', 'desktop', 'sdk', 'cli')),
      -- SHA-256 of the token of a browser or desktop app. The others have an API token.
      hash TEXT UNIQUE,
      token_id TEXT UNIQUE REFERENCES api_tokens (id) ON DELETE CASCADE,
      user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      address TEXT NOT NULL,
      user_agent TEXT NOT NULL,
      last_seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      approved_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      CHECK ((hash IS NULL) = (kind IN ('sdk', 'cli')))
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX devices_user ON devices (user_id)`,
    `CREATE INDEX devices_name ON devices (name_folded, id)`,
    `CREATE INDEX devices_created ON devices (created_at, id)`,
    `CREATE INDEX devices_seen ON devices (last_seen_at, id)`,
    // No foreign key: revoking a device deletes its sessions explicitly, so that its connections are closed.
    `ALTER TABLE sessions ADD COLUMN device_id TEXT`,
    `CREATE INDEX sessions_device ON sessions (device_id) WHERE device_id IS NOT NULL`,
  ],
}
