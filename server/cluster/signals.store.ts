import { type Params, prepareChange, prepareQuery } from '../db/prepared.ts'
import type { Query } from '../db/types.ts'
import type { Signal } from './signal.ts'

/** Number of signals that are kept. An instance further behind treats everything as changed. */
const signalDepth = 1000

const newest = prepareQuery((q) =>
  q.selectFrom('instance_signals').select('id').orderBy('id', 'desc').limit(1),
)
const insert = prepareChange((q, p: Params<{ id: number; instanceId: string; payload: string }>) =>
  q
    .insertInto('instance_signals')
    .values({ id: p('id'), instance_id: p('instanceId'), payload: p('payload') }),
)
const prune = prepareChange((q, p: Params<{ upTo: number }>) =>
  q.deleteFrom('instance_signals').where('id', '<=', p('upTo')),
)
const after = prepareQuery((q, p: Params<{ id: number }>) =>
  q.selectFrom('instance_signals').selectAll().where('id', '>', p('id')).orderBy('id'),
)

/** Returns the number of the newest signal; 0 before the first. */
export const newestSignal = async (q: Query): Promise<number> => (await newest(q))[0]?.id ?? 0

/** Stores a signal in a transaction of the store, so that numbers follow the order of commits. */
export async function insertSignal(q: Query, instanceId: string, signal: Signal): Promise<void> {
  const id = (await newestSignal(q)) + 1
  await insert(q, { id, instanceId, payload: JSON.stringify(signal) })
  await prune(q, { upTo: id - signalDepth })
}

export type NumberedSignal = { readonly id: number; readonly instanceId: string; readonly signal: Signal }

/** Returns the signals after a number, oldest first. */
export async function signalsAfter(q: Query, id: number): Promise<readonly NumberedSignal[]> {
  const rows = await after(q, { id })
  return rows.map((row) => ({
    id: row.id,
    instanceId: row.instance_id,
    // `insertSignal` wrote it from a typed signal.
    signal: JSON.parse(row.payload) as Signal,
  }))
}
