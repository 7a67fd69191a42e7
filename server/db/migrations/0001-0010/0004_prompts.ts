import type { Migration } from '../migration.ts'
import { versionsNeverChange } from '../triggers.ts'

/** Full prompts: drafts, immutable versions, the trash, tags and words for search. */
export const prompts: Migration = {
  version: 4,
  name: 'prompts',
  statements: [
    // A key is unique among prompts that are not deleted. A table constraint cannot express that, so the
    // table is created again.
    `CREATE TABLE prompts_whole (
      id TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE RESTRICT,
      key TEXT NOT NULL,
      env TEXT NOT NULL CHECK (env IN ('dev', 'test', 'prod')),
      folder TEXT NOT NULL DEFAULT '',
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL DEFAULT '',
      description TEXT NOT NULL DEFAULT '',
      category TEXT,
      tags TEXT NOT NULL DEFAULT '[]',
      version INTEGER NOT NULL DEFAULT 0,
      has_draft INTEGER NOT NULL DEFAULT 1 CHECK (has_draft IN (0, 1)),
      revision INTEGER NOT NULL DEFAULT 1,
      published_at INTEGER,
      created_by TEXT NOT NULL DEFAULT 'system',
      updated_by TEXT NOT NULL DEFAULT 'system',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO prompts_whole (id, workspace_id, key, env, name, name_folded, created_at, updated_at)
      SELECT id, workspace_id, key, env, name, lower(name), created_at, updated_at FROM prompts`,
    `DROP TABLE prompts`,
    `ALTER TABLE prompts_whole RENAME TO prompts`,
    `CREATE UNIQUE INDEX prompts_place ON prompts (workspace_id, key, env) WHERE deleted_at IS NULL`,
    `CREATE INDEX prompts_key ON prompts (key, env, id) WHERE deleted_at IS NULL`,
    `CREATE INDEX prompts_name ON prompts (name_folded, id) WHERE deleted_at IS NULL`,
    `CREATE INDEX prompts_created ON prompts (created_at, id) WHERE deleted_at IS NULL`,
    `CREATE INDEX prompts_updated ON prompts (updated_at, id) WHERE deleted_at IS NULL`,
    `CREATE INDEX prompts_workspace ON prompts (workspace_id)`,
    // Covering index for counts and filters. It includes `deleted_at`, because otherwise each row would be
    // looked up.
    `CREATE INDEX prompts_facets ON prompts (folder, env, workspace_id, category, has_draft, deleted_at)
      WHERE deleted_at IS NULL`,
    `CREATE INDEX prompts_deleted ON prompts (deleted_at, id) WHERE deleted_at IS NOT NULL`,
    // Unpublished content. A row exists only if it differs from the newest version, or if there is no
    // version.
    `CREATE TABLE prompt_drafts (
      prompt_id TEXT PRIMARY KEY REFERENCES prompts (id) ON DELETE CASCADE,
      content TEXT NOT NULL,
      model TEXT,
      variables TEXT NOT NULL
    ) STRICT`,
    `INSERT INTO prompt_drafts (prompt_id, content, model, variables) SELECT id, '', NULL, '[]' FROM prompts`,
    // Numbered from 1 without gaps; the newest version is served.
    `CREATE TABLE prompt_versions (
      prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
      version INTEGER NOT NULL CHECK (version > 0),
      kind TEXT NOT NULL CHECK (kind IN ('create', 'publish', 'rollback', 'promote', 'import')),
      from_env TEXT,
      from_version INTEGER,
      content TEXT NOT NULL,
      model TEXT,
      variables TEXT NOT NULL,
      message TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (prompt_id, version)
    ) STRICT`,
    versionsNeverChange('prompt_versions'),
    `CREATE TABLE prompt_tags (
      tag TEXT NOT NULL,
      prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
      PRIMARY KEY (tag, prompt_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX prompt_tags_prompt ON prompt_tags (prompt_id)`,
    `CREATE TABLE prompt_words (
      word TEXT NOT NULL,
      prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
      PRIMARY KEY (word, prompt_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX prompt_words_prompt ON prompt_words (prompt_id)`,
    // Comma-separated, in the order dev, test, prod.
    `ALTER TABLE workspaces ADD COLUMN protected_envs TEXT NOT NULL DEFAULT ''`,
    // Id of the names of the variables of a run: one row of `names` per distinct set.
    `ALTER TABLE runs ADD COLUMN variables INTEGER`,
  ],
}
