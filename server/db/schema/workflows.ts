/** A workflow. Agents have the same columns and more. */
export type WorkflowsTable = {
  id: string
  workspace_id: string
  key: string
  name: string
  name_folded: string
  description: string
  /** The newest version, which runs. */
  version: number
  /** Increases with every change; used as ETag. */
  revision: number
  created_by: string
  updated_by: string
  created_at: number
  updated_at: number
}
/** Agents also have the columns by which their list is filtered, with the values of the newest version. */
export type AgentsTable = WorkflowsTable & { provider: string; prompt_key: string | null }

export type DefinitionVersionsTable = {
  owner_id: string
  version: number
  kind: 'create' | 'update' | 'rollback' | 'import'
  from_version: number | null
  /** JSON: the definition as in the API. */
  body: string
  message: string
  created_by: string
  created_at: number
}
/** Words of key, name, description and texts, for prefix search. */
export type DefinitionWordsTable = { word: string; owner_id: string }

/** Position of the captured texts in a payload file: its day since 1970, then bytes. */
type PayloadColumns = {
  payload_day: number | null
  payload_offset: number | null
  payload_length: number | null
}
/** One execution of a workflow. Its totals are sums over its steps. */
export type WorkflowRunsTable = PayloadColumns & {
  id: string
  workflow_id: string
  workflow_key: string
  workspace_id: string
  version: number
  status: 'running' | 'ok' | 'error' | 'cancelled' | 'interrupted'
  error: string | null
  failed_step: string | null
  user: string
  /** Null unless the actor is a user or an API token. */
  user_id: string | null
  capture: 'off' | 'redacted' | 'full'
  step_count: number
  resumed_from: string | null
  resumed_step: string | null
  request_id: string | null
  created_at: number
  finished_at: number | null
  latency_us: number | null
  /** The instance that runs it. Null if an earlier version began it. */
  instance_id: string | null
}
export type WorkflowRunStepsTable = PayloadColumns & {
  run_id: string
  position: number
  name: string
  type: 'render' | 'model' | 'transform' | 'agent' | 'condition' | 'parallel'
  parent: string | null
  branch: 'then' | 'else' | null
  status: 'ok' | 'error' | 'skipped' | 'cancelled' | 'interrupted' | 'not_run'
  error: string | null
  started_at: number | null
  latency_us: number | null
  attempts: number
  /** Ids of runs, separated by commas, in order. */
  run_ids: string
  provider: string | null
  model: string | null
  prompt_tokens: number | null
  output_tokens: number | null
  tokens: number | null
  tokens_estimated: number
  cost_nano: number | null
  taken_over: number
}
