import { type Params, prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { EventsTable } from '../../db/schema/events.ts'
import type { Query } from '../../db/types.ts'

/** Number of sequence numbers that can be replayed. A client that missed more receives `resync`. */
export const replayDepth = 5000

const seq = prepareQuery((q) => q.selectFrom('meta').select('value').where('key', '=', 'live_seq'))
/** Returns the newest sequence number in use; 0 before the first. */
export const liveSeq = async (q: Query): Promise<number> => (await seq(q, {}))[0]?.value ?? 0

const storeSeq = prepareChange((q, p: Params<{ value: number }>) =>
  q
    .insertInto('meta')
    .values({ key: 'live_seq', value: p('value') })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
    ),
)
const prune = prepareChange((q, p: Params<{ upTo: number }>) =>
  q.deleteFrom('events').where('seq', '<=', p('upTo')),
)

/** Sets the newest sequence number and deletes the frames that are too old to replay. */
export async function advanceLiveSeq(q: Query, value: number): Promise<void> {
  await storeSeq(q, { value })
  if (value > replayDepth) await prune(q, { upTo: value - replayDepth })
}

export const insertEvent = prepareChange((q, p: Params<EventsTable>) =>
  q.insertInto('events').values({
    seq: p('seq'),
    type: p('type'),
    entity: p('entity'),
    entity_id: p('entity_id'),
    workspace_id: p('workspace_id'),
    from_workspace_id: p('from_workspace_id'),
    namespace: p('namespace'),
    user_id: p('user_id'),
    payload: p('payload'),
    created_at: p('created_at'),
    client_ids: p('client_ids'),
  }),
)

/** Returns the frames for consoles after `seq`. */
export const consoleEventsAfter = prepareQuery((q, p: Params<{ seq: number }>) =>
  q
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', p('seq'))
    .where('namespace', 'is', null)
    .where('client_ids', 'is', null)
    .orderBy('seq'),
)

/** Returns the frames for the clients of an environment after `seq`. */
export const namespaceEventsAfter = prepareQuery((q, p: Params<{ seq: number; namespace: string }>) =>
  q
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', p('seq'))
    .where('namespace', '=', p('namespace'))
    .where('client_ids', 'is', null)
    .orderBy('seq'),
)

/** Returns every frame after `seq`, including those for single clients (`client_ids`), for the other instances. */
export const eventsAfter = prepareQuery((q, p: Params<{ seq: number }>) =>
  q.selectFrom('events').selectAll().where('seq', '>', p('seq')).orderBy('seq'),
)
