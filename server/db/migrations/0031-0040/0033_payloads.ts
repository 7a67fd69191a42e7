import { type Migration, onlyPostgres } from '../migration.ts'

/**
 * PostgreSQL: captured inputs and outputs, with their search index. A day is one partition, because payloads are removed
 * by day. The embedded engine has them in files, with the same days and offsets.
 */
export const payloads: Migration = {
  version: 33,
  name: 'payloads',
  statements: onlyPostgres([
    // `bytes`: the offset of the next line. `imported`: the part of a payload file that was copied into the table.
    `CREATE TABLE payload_days (
      day bigint PRIMARY KEY,
      bytes bigint NOT NULL,
      imported bigint NOT NULL DEFAULT 0
    )`,
    // `line`: null if it is outside the database, in the object `object` from the byte `object_start`.
    // `run_id`, `run_at`, `words`: null for the texts of executions, which are not searched.
    `CREATE TABLE payloads (
      day bigint NOT NULL,
      start bigint NOT NULL,
      length bigint NOT NULL,
      line text COLLATE "C",
      object text COLLATE "C",
      object_start bigint,
      run_id bigint,
      run_at bigint,
      words tsvector,
      PRIMARY KEY (day, start)
    ) PARTITION BY LIST (day)`,
    `CREATE INDEX payloads_words ON payloads USING gin (words)`,
    `CREATE INDEX payloads_run ON payloads (run_at, run_id) WHERE run_id IS NOT NULL`,
  ]),
}
