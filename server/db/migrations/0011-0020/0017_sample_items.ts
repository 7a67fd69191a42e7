import type { Migration } from '../migration.ts'

/** Marks what belongs to the sample data, so that it can be removed completely. */
export const sampleItems: Migration = {
  version: 17,
  name: 'sample_items',
  statements: [
    `CREATE TABLE sample_items (
      kind TEXT NOT NULL CHECK (kind IN ('workspace', 'prompt', 'agent', 'workflow')),
      id TEXT NOT NULL,
      PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID`,
  ],
}
