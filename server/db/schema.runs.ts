/** The dictionary of the run log: rows hold the id. */
export type NamesTable = { id: number; kind: string; name: string }

export type NameWordsTable = { word: string; name_id: number }

/** Ids of `names` where a column is not said to be something else. */
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
  /** Nano-dollars: a token at a thousandth of a dollar per million is one, so priced costs stay whole. */
  cost_nano: number | null
  reported: number
  finish_reason: string | null
  /** Whose `client_run_id` it is; only set beside one. */
  reporter: number | null
  client_run_id: string | null
  request_id: string | null
  /** JSON. */
  params: string | null
  /** The names of the variables it sent, sorted, with commas: an id of `names`. */
  variables: number | null
  /** Days since the epoch: which payload file holds input and output, and where. */
  payload_day: number | null
  payload_offset: number | null
  payload_length: number | null
}

/** Sums over runs; what `tier` and `slice` mean stands in the migration. */
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

/** A model call under way. */
export type CallIntentsTable = {
  id: string
  created_at: number
  /** JSON: who asked for it. */
  actor: string
  request_id: string
  /** JSON: what its run will say, as far as it is known before it begins. */
  run: string
}
