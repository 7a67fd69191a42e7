import type { Migration } from '../migration.ts'

/**
 * Every slug ever used, and the workspace that had it last. A row remains after its workspace: an old slug of
 * a renamed workspace still leads to it, and only callers who may delete workspaces can reuse the slug of a
 * deleted one.
 */
export const workspaceSlugs: Migration = {
  version: 9,
  name: 'workspace_slugs',
  statements: [
    // No foreign key: the row remains when the workspace is deleted.
    `CREATE TABLE workspace_slugs (
      slug TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX workspace_slugs_workspace ON workspace_slugs (workspace_id)`,
    `INSERT INTO workspace_slugs (slug, workspace_id) SELECT slug, id FROM workspaces`,
    // Slugs from before this version, as in the audit log. The last workspace that had a slug counts.
    {
      sqlite: `INSERT OR IGNORE INTO workspace_slugs (slug, workspace_id)
      SELECT json_extract(before, '$.slug'), resource_id FROM audit
      WHERE resource = 'workspace' AND action IN ('update', 'delete') AND resource_id IS NOT NULL
        AND json_valid(before) AND json_type(before, '$.slug') = 'text'
      ORDER BY id DESC`,
      postgres: [],
    },
  ],
}
