import type { Run } from '../../../contract/run.ts'
import type { NameLookup } from './names.store.ts'
import type { ListedRun } from './runs.store.ts'

const nameColumns = [
  'source',
  'provider',
  'model',
  'workspace',
  'ref_key',
  'version',
  'user',
  'client',
  'error',
  'error_type',
] as const

/** Returns the ids of all names in the rows. */
export function nameIdsOf(rows: readonly ListedRun[]): Set<number> {
  const ids = new Set<number>()
  for (const row of rows) {
    for (const column of nameColumns) {
      const id = row[column]
      if (id !== null) ids.add(id)
    }
  }
  return ids
}

/** Converts a stored run into a run of the contract. */
export function runToWire(row: ListedRun, nameOf: NameLookup): Run {
  return {
    id: row.id,
    source: nameOf(row.source) ?? '',
    ref_key: nameOf(row.ref_key),
    version: nameOf(row.version),
    workspace_id: nameOf(row.workspace) ?? '',
    provider: nameOf(row.provider) ?? '',
    model: nameOf(row.model) ?? '',
    prompt_tokens: row.prompt_tokens,
    output_tokens: row.output_tokens,
    total_tokens: row.total_tokens,
    cached_tokens: row.cached_tokens,
    reasoning_tokens: row.reasoning_tokens,
    tokens_estimated: row.tokens_estimated === 1,
    latency_ms: row.latency_us / 1000,
    ttft_ms: row.ttft_us === null ? null : row.ttft_us / 1000,
    cost_usd: row.cost_nano === null ? null : row.cost_nano / 1e9,
    status: row.status === 0 ? 'ok' : 'error',
    error: nameOf(row.error),
    error_type: nameOf(row.error_type),
    user: nameOf(row.user),
    client_id: nameOf(row.client),
    parent_id: row.parent_id,
    reported: row.reported === 1,
    created_at: new Date(row.created_at).toISOString(),
  }
}
