import { type Params, prepareChange } from '../../db/prepared.ts'
import type { CallIntentsTable } from '../../db/schema/runs.ts'
import type { Query } from '../../db/types.ts'

export const insertIntent = prepareChange((q, p: Params<CallIntentsTable>) =>
  q.insertInto('call_intents').values({
    id: p('id'),
    created_at: p('created_at'),
    actor: p('actor'),
    request_id: p('request_id'),
    run: p('run'),
  }),
)

const remove = prepareChange((q, p: Params<{ id: string }>) =>
  q.deleteFrom('call_intents').where('id', '=', p('id')),
)

/**
 * Removes an intent. Returns true if it existed: the run is not in the log yet, and this transaction adds it.
 */
export const takeIntent = async (q: Query, id: string): Promise<boolean> => (await remove(q, { id })) === 1

/** Returns the intents after an id, oldest first: ids grow with time. */
export function intentsAfter(q: Query, id: string, limit: number): Promise<CallIntentsTable[]> {
  return q.selectFrom('call_intents').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}
