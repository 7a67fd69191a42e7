import type { Migration } from '../migration.ts'

/** The index of the list of keys and of the search by name. */
export const promptKeys: Migration = {
  version: 15,
  name: 'prompt_keys',
  statements: [
    // Covers the grouping by key, the newest change of a key, and the search. It includes `deleted_at`,
    // because otherwise each row would be looked up.
    `CREATE INDEX prompts_keys
      ON prompts (key, workspace_id, env, updated_at, name_folded, has_draft, deleted_at)
      WHERE deleted_at IS NULL`,
  ],
}
