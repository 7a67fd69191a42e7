import type { Migration } from './index.ts'

/**
 * Every slug ever given, and the workspace that had it last. A row outlives its workspace: a slug of a renamed
 * workspace keeps leading to it, and that of a deleted one is not free for everybody.
 */
export const workspaceSlugs: Migration = {
  version: 9,
  name: 'workspace_slugs',
  statements: [
    // No reference to the workspace: the row stays when the workspace is deleted.
    `CREATE TABLE workspace_slugs (
      slug TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX workspace_slugs_workspace ON workspace_slugs (workspace_id)`,
    `INSERT INTO workspace_slugs (slug, workspace_id) SELECT slug, id FROM workspaces`,
    // Slugs that were given up before this version, as the audit log has them; the last holder counts.
    `INSERT OR IGNORE INTO workspace_slugs (slug, workspace_id)
      SELECT json_extract(before, '$.slug'), resource_id FROM audit
      WHERE resource = 'workspace' AND action IN ('update', 'delete') AND resource_id IS NOT NULL
        AND json_valid(before) AND json_type(before, '$.slug') = 'text'
      ORDER BY id DESC`,
  ],
}
