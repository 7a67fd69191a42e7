/** PostgreSQL only: the days with captured payloads. `bytes`: the sum of their lines, which is the next offset. */
export type PayloadDaysTable = { day: number; bytes: number; imported: number }

/** PostgreSQL only: captured payloads. `start` is the offset of the line in its day. */
export type PayloadsTable = {
  day: number
  start: number
  length: number
  /** Null if the line is in an object outside the database. */
  line: string | null
  object: string | null
  object_start: number | null
  /** The run, and its time; null for the texts of executions. */
  run_id: number | null
  run_at: number | null
}
