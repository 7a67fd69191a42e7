import type { Migration } from '../migration.ts'

/** Prompts that include others. In versions and drafts from before, `{{> …}}` is text. */
export const promptIncludes: Migration = {
  version: 13,
  name: 'prompt_includes',
  statements: [
    // 1: `{{> key}}` in the texts includes another prompt.
    `ALTER TABLE prompt_drafts ADD COLUMN has_includes INTEGER NOT NULL DEFAULT 0 CHECK (has_includes IN (0, 1))`,
    `ALTER TABLE prompt_versions ADD COLUMN has_includes INTEGER NOT NULL DEFAULT 0 CHECK (has_includes IN (0, 1))`,
    // What the served version of a prompt includes, of the same workspace and environment. Version 0: the
    // served one.
    `CREATE TABLE prompt_includes (
      key TEXT NOT NULL,
      prompt_id TEXT NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      PRIMARY KEY (key, prompt_id, version)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX prompt_includes_prompt ON prompt_includes (prompt_id)`,
    // SHA-256 of the prompt's text with its includes, before variables are replaced. Id of a row of `names`.
    `ALTER TABLE runs ADD COLUMN prompt_hash INTEGER`,
  ],
}
