import type { Migration } from './index.ts'

/** Which audit entry holds which word. Two tables of names and numbers instead of FTS: portable, and small. */
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
