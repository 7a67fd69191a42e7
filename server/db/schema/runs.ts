import type { TraceSpan } from '../../../contract/runs/spans.ts'
/** The dictionary of names in the run log. Rows of runs contain the id. */
export type NamesTable = { id: number; kind: string; name: string }

export type NameWordsTable = { word: string; name_id: number }

/** The members of names that are lists. */
export type NameMembersTable = { member: string; name_id: number }

/** A model call in progress. */
export type CallIntentsTable = {
  id: string
  created_at: number
  /** JSON: the actor of the call. */
  actor: string
  request_id: string
  /** JSON: the fields of its run that are known before the call. */
  run: string
  /** The instance that makes the call. Null if an earlier version began it. */
  instance_id: string | null
}

/** Sums of the runs of a session, kept by triggers. `workspace`: id of `names`. */
export type RunSessionsTable = {
  session_id: string
  workspace: number
  /** Epoch milliseconds. */
  first_at: number
  last_at: number
  runs: number
  errors: number
  total_tokens: number
  cost_nano: number
  /** Number of runs with a known cost. */
  priced: number
}

/** Spans of agents, workflows, steps and tools. They have the columns of the API; `created_at` is epoch milliseconds. */
export type TraceSpansTable = Omit<TraceSpan, 'created_at'> & { created_at: number }

/**
 * PostgreSQL only: the days with captured payloads. `bytes`: the sum of their lines, which is the next offset.
 * `imported`: the bytes of the day's payload file that were imported; 0 without an import.
 */
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
