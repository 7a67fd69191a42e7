import { hot, hotChange, type Params } from '../db/hot.ts'
import type { EventsTable } from '../db/schema.ts'
import type { Query } from '../db/types.ts'

/** How many sequence numbers can be replayed; a client further behind is told to fetch everything. */
export const replayDepth = 5000

const seq = hot((q) => q.selectFrom('meta').select('value').where('key', '=', 'live_seq'))
/** The newest sequence number given away; 0 before the first. */
export const liveSeq = async (q: Query): Promise<number> => (await seq(q, {}))[0]?.value ?? 0

const store = hotChange((q, p: Params<{ value: number }>) =>
  q
    .insertInto('meta')
    .values({ key: 'live_seq', value: p('value') })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
    ),
)
const prune = hotChange((q, p: Params<{ upTo: number }>) =>
  q.deleteFrom('events').where('seq', '<=', p('upTo')),
)

/** Moves the counter and drops what fell out of the buffer: a few rows by primary key. */
export async function advanceLiveSeq(q: Query, value: number): Promise<void> {
  await store(q, { value })
  if (value > replayDepth) await prune(q, { upTo: value - replayDepth })
}

export const insertEvent = hotChange((q, p: Params<EventsTable>) =>
  q.insertInto('events').values({
    seq: p('seq'),
    type: p('type'),
    entity: p('entity'),
    entity_id: p('entity_id'),
    workspace_id: p('workspace_id'),
    namespace: p('namespace'),
    user_id: p('user_id'),
    payload: p('payload'),
    created_at: p('created_at'),
  }),
)

/** What consoles missed. */
export const consoleEventsAfter = hot((q, p: Params<{ seq: number }>) =>
  q
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', p('seq'))
    .where('namespace', 'is', null)
    .orderBy('seq'),
)

/** What the clients of an environment missed. */
export const namespaceEventsAfter = hot((q, p: Params<{ seq: number; namespace: string }>) =>
  q
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', p('seq'))
    .where('namespace', '=', p('namespace'))
    .orderBy('seq'),
)
