/** The dictionary of names in the run log. Rows of runs contain the id. */
export type NamesTable = { id: number; kind: string; name: string }

export type NameWordsTable = { word: string; name_id: number }

/** Columns contain ids of `names` unless another meaning is given. */
export type RunsTable = {
  id: number
  created_at: number
  source: number
  provider: number
  model: number
  workspace: number
  ref_key: number | null
  version: number | null
  user: number
  client: number | null
  /** 0: ok, 1: error. */
  status: number
  error: number | null
  error_type: number | null
  parent_id: string | null
  prompt_tokens: number | null
  output_tokens: number | null
  total_tokens: number | null
  cached_tokens: number | null
  reasoning_tokens: number | null
  tokens_estimated: number
  /** Microseconds. */
  latency_us: number
  ttft_us: number | null
  /**
   * Nano-dollars: at a price of 0.001 dollars per million tokens one token costs one, so costs are whole
   * numbers.
   */
  cost_nano: number | null
  reported: number
  finish_reason: string | null
  /** The principal that sent `client_run_id`; only set with one. */
  reporter: number | null
  client_run_id: string | null
  request_id: string | null
  /** JSON. */
  params: string | null
  /** Id of `names`: the sorted names of the variables of the run, separated by commas. */
  variables: number | null
  /** The payload file with input and output, as days since 1970. Offset and length are in bytes. */
  payload_day: number | null
  payload_offset: number | null
  payload_length: number | null
}

/** Sums over runs. The migration explains `tier` and `slice`. */
export type RunRollupsTable = {
  tier: number
  slice: number
  start: number
  source: number
  provider: number
  model: number
  workspace: number
  ref_key: number
  status: number
  n: number
  prompt_tokens: number
  output_tokens: number
  total_tokens: number
  latency_us: number
  cost_nano: number
  cost_unknown: number
  /** `bucket:count` separated by spaces; see runs/histogram.ts. */
  latencies: string
}

/** A model call in progress. */
export type CallIntentsTable = {
  id: string
  created_at: number
  /** JSON: the actor of the call. */
  actor: string
  request_id: string
  /** JSON: the fields of its run that are known before the call. */
  run: string
}
