import { type Params, prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { CallIntentsTable } from '../../db/schema/runs.ts'
import type { Query } from '../../db/types.ts'

export const insertIntent = prepareChange((q, p: Params<CallIntentsTable>) =>
  q.insertInto('call_intents').values({
    id: p('id'),
    created_at: p('created_at'),
    actor: p('actor'),
    request_id: p('request_id'),
    run: p('run'),
    instance_id: p('instance_id'),
  }),
)

const remove = prepareChange((q, p: Params<{ id: string }>) =>
  q.deleteFrom('call_intents').where('id', '=', p('id')),
)

/**
 * Removes an intent. Returns true if it existed: the run is not in the log yet, and this transaction adds it.
 */
export const takeIntent = async (q: Query, id: string): Promise<boolean> => (await remove(q, { id })) === 1

const found = prepareQuery<{ id: string }, { id: string }>((q, p) =>
  q.selectFrom('call_intents').select('id').where('id', '=', p('id')),
)

/** Returns true while a call is in progress or its run is not stored yet. */
export const hasIntent = async (q: Query, id: string): Promise<boolean> => (await found(q, { id })).length > 0

/**
 * Returns the intents after an id, oldest first: ids grow with time. `instanceIds`: only those of these instances; null
 * for all.
 */
export function intentsAfter(
  q: Query,
  id: string,
  { instanceIds, limit }: { readonly instanceIds: readonly string[] | null; readonly limit: number },
): Promise<CallIntentsTable[]> {
  let intents = q.selectFrom('call_intents').selectAll().where('id', '>', id)
  if (instanceIds !== null) intents = intents.where('instance_id', 'in', instanceIds)
  return intents.orderBy('id').limit(limit).execute()
}

const owners = prepareQuery((q) =>
  q.selectFrom('call_intents').select('instance_id').distinct().where('instance_id', 'is not', null),
)

/** Returns the ids of the instances with calls in progress. */
export const instancesOfIntents = async (q: Query): Promise<readonly string[]> =>
  (await owners(q)).flatMap(({ instance_id: id }) => id ?? [])
