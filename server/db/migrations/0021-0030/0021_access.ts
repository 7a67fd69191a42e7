import type { Migration } from '../migration.ts'

/** Access of users and API tokens to all workspaces or to a list. Existing ones keep access to all. */
export const access: Migration = {
  version: 21,
  name: 'access',
  statements: [
    `ALTER TABLE users ADD COLUMN access TEXT NOT NULL DEFAULT 'all' CHECK (access IN ('all', 'listed'))`,
    `ALTER TABLE api_tokens ADD COLUMN access TEXT NOT NULL DEFAULT 'all' CHECK (access IN ('all', 'listed'))`,
    // The owner is a user or an API token; ids of both are unique together.
    `CREATE TABLE memberships (
      owner_id TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
      PRIMARY KEY (owner_id, workspace_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX memberships_workspace ON memberships (workspace_id)`,
    // The workspace that something was moved out of: its members receive the frame too.
    `ALTER TABLE events ADD COLUMN from_workspace_id TEXT`,
  ],
}
