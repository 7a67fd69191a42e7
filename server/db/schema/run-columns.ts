/** The forms in which columns of a run are stored, with the type of the stored value. */
export type Stored = {
  integer: number
  text: string
  /** JSON as text. */
  json: string
  /** Id of `names`: a text that many runs share. */
  name: number
  /** Id of `names`: sorted texts, separated by commas. */
  names: number
  /** 0 or 1. */
  flag: number
  /** 0: ok, 1: error. */
  status: number
  /** Epoch milliseconds. */
  time: number
  /** Microseconds; milliseconds in the contract. */
  micros: number
  /**
   * Nano-dollars; dollars in the contract. At a price of 0.001 dollars per million tokens one token costs one
   * nano-dollar, so costs are whole numbers.
   */
  nanos: number
}
export type Form = keyof Stored

export type RunColumn = {
  readonly form: Form
  readonly isNullable?: true
  /** The field of the contract, if its name differs from the column's. */
  readonly field?: string
  /** True for names that the text search `q` finds. The column needs an index. */
  readonly isSearched?: true
  /** True for lists of names that can be filtered by one of them. */
  readonly hasMembers?: true
}

/**
 * The columns of a run. Row types, statements, conversion, filters, export and search derive from this list
 * and the contract: a list shows the columns that are fields of `Run`, a single run those of `RunDetail`,
 * reports set those of `RunReport`, and those of the list's query are filters. Other columns are internal.
 */
export const runColumns = {
  id: { form: 'integer' },
  created_at: { form: 'time' },
  source: { form: 'name' },
  provider: { form: 'name' },
  model: { form: 'name', isSearched: true },
  workspace: { form: 'name', field: 'workspace_id' },
  ref_key: { form: 'name', isNullable: true, isSearched: true },
  version: { form: 'name', isNullable: true },
  env: { form: 'name', isNullable: true },
  user: { form: 'name' },
  app: { form: 'name', isNullable: true },
  token: { form: 'name', isNullable: true },
  client: { form: 'name', isNullable: true, field: 'client_id' },
  status: { form: 'status' },
  error: { form: 'name', isNullable: true, isSearched: true },
  error_type: { form: 'name', isNullable: true },
  parent_id: { form: 'text', isNullable: true },
  session_id: { form: 'text', isNullable: true },
  end_user: { form: 'name', isNullable: true },
  tags: { form: 'names', isNullable: true, hasMembers: true },
  metadata: { form: 'json', isNullable: true },
  prompt_tokens: { form: 'integer', isNullable: true },
  output_tokens: { form: 'integer', isNullable: true },
  total_tokens: { form: 'integer', isNullable: true },
  cached_tokens: { form: 'integer', isNullable: true },
  reasoning_tokens: { form: 'integer', isNullable: true },
  tokens_estimated: { form: 'flag' },
  latency_us: { form: 'micros', field: 'latency_ms' },
  ttft_us: { form: 'micros', isNullable: true, field: 'ttft_ms' },
  cost_nano: { form: 'nanos', isNullable: true, field: 'cost_usd' },
  reported: { form: 'flag' },
  finish_reason: { form: 'text', isNullable: true },
  /** The principal that sent `client_run_id`; only set with one. */
  reporter: { form: 'name', isNullable: true },
  client_run_id: { form: 'text', isNullable: true },
  request_id: { form: 'text', isNullable: true },
  response_id: { form: 'text', isNullable: true },
  provider_request_id: { form: 'text', isNullable: true },
  response_model: { form: 'name', isNullable: true },
  tool_names: { form: 'names', isNullable: true },
  trace_id: { form: 'text', isNullable: true },
  span_id: { form: 'text', isNullable: true },
  parent_span_id: { form: 'text', isNullable: true },
  /** The id of an intent, under which the gateway announced the run in its reply. */
  call_id: { form: 'text', isNullable: true },
  /** `unparsed` or `hit`, see `ReplyMark`; null for other replies. */
  reply_mark: { form: 'name', isNullable: true },
  params: { form: 'json', isNullable: true },
  variables: { form: 'names', isNullable: true },
  prompt_hash: { form: 'name', isNullable: true },
  /** The payload file with input and output, as days since 1970. Offset and length are in bytes. */
  payload_day: { form: 'integer', isNullable: true },
  payload_offset: { form: 'integer', isNullable: true },
  payload_length: { form: 'integer', isNullable: true },
  /** Position in `contentStates` of the reason for which there is no payload. Null before version 0.2. */
  payload_state: { form: 'integer', isNullable: true },
} as const satisfies Readonly<Record<string, RunColumn>>

export type RunColumns = typeof runColumns
export type RunColumnName = keyof RunColumns
/** The columns of some forms. */
export type ColumnOf<F extends Form> = {
  [C in RunColumnName]: RunColumns[C]['form'] extends F ? C : never
}[RunColumnName]
/** `null` for columns that may be null. */
export type NullOf<C extends RunColumnName> = RunColumns[C] extends { isNullable: true } ? null : never

export type RunsTable = { [C in RunColumnName]: Stored[RunColumns[C]['form']] | NullOf<C> }
/** A row with names as text instead of ids. */
export type NamedRun = {
  [C in RunColumnName]:
    | (C extends ColumnOf<'name' | 'names'> ? string : Stored[RunColumns[C]['form']])
    | NullOf<C>
}

/**
 * The dimensions whose combinations roll-ups contain. The order is part of the stored data: they are slices 1
 * to 6 of roll-ups.
 */
export const dimensions = ['source', 'provider', 'model', 'workspace', 'ref_key', 'env'] as const
export type Dimension = (typeof dimensions)[number]
/**
 * The dimensions with a roll-up each, but no combinations. The order is part of the stored data: they are
 * slices 8 to 13 of roll-ups, with the name in `value`.
 */
export const singleDimensions = ['version', 'app', 'user', 'token', 'tags', 'error_type'] as const
export type SingleDimension = (typeof singleDimensions)[number]

/** The columns of which roll-ups contain the sum; a run without a value adds 0. */
export const summedColumns = [
  'prompt_tokens',
  'output_tokens',
  'total_tokens',
  'latency_us',
  'cost_nano',
  'ttft_us',
] as const
export type SummedColumn = (typeof summedColumns)[number]

/** Sums over runs. The migration explains `tier` and `slice`. */
export type RunRollupsTable = Record<Dimension | SummedColumn, number> & {
  tier: number
  slice: number
  start: number
  /** Name in the dimension of slices 8 to 13, else 0. */
  value: number
  status: number
  n: number
  cost_unknown: number
  /** `bucket:count` separated by spaces; see features/runs/statistics/rollups/histogram.ts. */
  latencies: string
  /** The same of times to first token. Runs without one do not count. */
  ttfts: string
}
