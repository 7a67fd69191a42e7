import type { Migration } from '../migration.ts'

/** The words of each audit entry, for search. Two plain tables instead of FTS are portable and small. */
export const auditWords: Migration = {
  version: 3,
  name: 'audit_words',
  statements: [
    `CREATE TABLE audit_terms (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT`,
    `CREATE TABLE audit_postings (
      term_id INTEGER NOT NULL,
      audit_id INTEGER NOT NULL,
      PRIMARY KEY (term_id, audit_id)
    ) STRICT, WITHOUT ROWID`,
  ],
}
