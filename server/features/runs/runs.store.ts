import { sql } from 'kysely'
import { prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { RunsTable } from '../../db/schema/runs.ts'
import type { Query } from '../../db/types.ts'
import type { RunKey } from './runs.plan.ts'

/** The columns of a list; the others are read only for a single run. */
export const listColumns = [
  'id',
  'created_at',
  'source',
  'provider',
  'model',
  'workspace',
  'ref_key',
  'version',
  'user',
  'client',
  'status',
  'error',
  'error_type',
  'parent_id',
  'prompt_tokens',
  'output_tokens',
  'total_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'tokens_estimated',
  'latency_us',
  'ttft_us',
  'cost_nano',
  'reported',
] as const
export type ListedRun = Pick<RunsTable, (typeof listColumns)[number]>

const insert = prepareChange<RunsTable>((q, p) =>
  q.insertInto('runs').values({
    id: p('id'),
    created_at: p('created_at'),
    source: p('source'),
    provider: p('provider'),
    model: p('model'),
    workspace: p('workspace'),
    ref_key: p('ref_key'),
    version: p('version'),
    user: p('user'),
    client: p('client'),
    status: p('status'),
    error: p('error'),
    error_type: p('error_type'),
    parent_id: p('parent_id'),
    prompt_tokens: p('prompt_tokens'),
    output_tokens: p('output_tokens'),
    total_tokens: p('total_tokens'),
    cached_tokens: p('cached_tokens'),
    reasoning_tokens: p('reasoning_tokens'),
    tokens_estimated: p('tokens_estimated'),
    latency_us: p('latency_us'),
    ttft_us: p('ttft_us'),
    cost_nano: p('cost_nano'),
    reported: p('reported'),
    finish_reason: p('finish_reason'),
    reporter: p('reporter'),
    client_run_id: p('client_run_id'),
    request_id: p('request_id'),
    params: p('params'),
    variables: p('variables'),
    payload_day: p('payload_day'),
    payload_offset: p('payload_offset'),
    payload_length: p('payload_length'),
  }),
)
const byId = prepareQuery<{ id: number }, RunsTable>((q, p) =>
  q.selectFrom('runs').selectAll().where('id', '=', p('id')),
)
const byClientRunId = prepareQuery<{ client_run_id: string; reporter: number }, { id: number }>((q, p) =>
  q
    .selectFrom('runs')
    .select('id')
    .where('client_run_id', '=', p('client_run_id'))
    .where('reporter', '=', p('reporter')),
)
const lastId = prepareQuery<Record<never, never>, { value: number }>((q) =>
  q.selectFrom('meta').select('value').where('key', '=', 'run_id'),
)
const setLastId = prepareChange<{ value: number }>((q, p) =>
  q
    .updateTable('meta')
    .set({ value: p('value') })
    .where('key', '=', 'run_id'),
)
const newestPage = prepareQuery<{ limit: number }, ListedRun>((q, p) =>
  q
    .selectFrom('runs')
    .select(listColumns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p('limit')),
)
const oldestBefore = prepareQuery<{ before: number; limit: number }, RunsTable>((q, p) =>
  q
    .selectFrom('runs')
    .selectAll()
    .where('created_at', '<', p('before'))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p('limit')),
)
const removeUpTo = prepareChange<{ created_at: number; id: number }>((q, p) =>
  q.deleteFrom('runs').where(sql<boolean>`(created_at, id) <= (${p('created_at')}, ${p('id')})`),
)

export const runStore = {
  insert,
  newestPage,
  async get(q: Query, id: number): Promise<RunsTable | undefined> {
    const [row] = await byId(q, { id })
    return row
  },
  async findReported(q: Query, reporter: number, clientRunId: string): Promise<number | undefined> {
    const [row] = await byClientRunId(q, { client_run_id: clientRunId, reporter })
    return row?.id
  },
  /**
   * Returns the highest id ever assigned. It is stored apart from the rows, so that retention never makes ids
   * repeat.
   */
  async lastId(q: Query): Promise<number> {
    const [row] = await lastId(q, {})
    return row?.value ?? 0
  },
  setLastId,
  oldestBefore,
  /** Removes the oldest runs up to and including `key`. */
  removeUpTo,
  async byKeys(q: Query, keys: readonly RunKey[]): Promise<ListedRun[]> {
    const found = new Map<number, ListedRun>()
    for (let from = 0; from < keys.length; from += 500) {
      const ids = keys.slice(from, from + 500).map(({ id }) => id)
      const rows = await q.selectFrom('runs').select(listColumns).where('id', 'in', ids).execute()
      for (const row of rows) found.set(row.id, row)
    }
    // A run that retention removed after its key was read is omitted.
    return keys.flatMap(({ id }) => found.get(id) ?? [])
  },
}
