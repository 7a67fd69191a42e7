import { type Params, prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { ConnectedClientsTable, InstancesTable } from '../../db/schema/instances.ts'
import type { Query } from '../../db/types.ts'

/* PostgreSQL only: the tables of instances and their clients. */

const update = prepareChange((q, p: Params<InstancesTable>) =>
  q
    .updateTable('instances')
    .set({ heartbeat_at: p('heartbeat_at'), revision: p('revision') })
    .where('id', '=', p('id')),
)
const insert = prepareChange((q, p: Params<InstancesTable>) =>
  q.insertInto('instances').values({
    id: p('id'),
    heartbeat_at: p('heartbeat_at'),
    revision: p('revision'),
  }),
)
const remove = prepareChange((q, p: Params<{ id: string }>) =>
  q.deleteFrom('instances').where('id', '=', p('id')),
)
const removeClients = prepareChange((q, p: Params<{ id: string }>) =>
  q.deleteFrom('connected_clients').where('instance_id', '=', p('id')),
)

/** Stores the heartbeat of an instance. Returns false if its row was missing, so its clients are too. */
export async function storeHeartbeat(q: Query, row: InstancesTable): Promise<boolean> {
  if ((await update(q, row)) > 0) return true
  await insert(q, row)
  return false
}

export async function removeInstance(q: Query, id: string): Promise<void> {
  await Promise.all([removeClients(q, { id }), remove(q, { id })])
}

export const listInstances = prepareQuery((q) => q.selectFrom('instances').selectAll().orderBy('id'))

export const clientsAfter = prepareQuery((q, p: Params<{ instanceId: string; revision: number }>) =>
  q
    .selectFrom('connected_clients')
    .select(['id', 'last_seen_at', 'value'])
    .where('instance_id', '=', p('instanceId'))
    .where('revision', '>', p('revision'))
    .orderBy('revision'),
)

export const putClient = prepareChange((q, p: Params<ConnectedClientsTable>) =>
  q
    .insertInto('connected_clients')
    .values({
      instance_id: p('instance_id'),
      id: p('id'),
      revision: p('revision'),
      last_seen_at: p('last_seen_at'),
      value: p('value'),
    })
    .onConflict((conflict) =>
      conflict.columns(['instance_id', 'id']).doUpdateSet((eb) => ({
        revision: eb.ref('excluded.revision'),
        last_seen_at: eb.ref('excluded.last_seen_at'),
        value: eb.ref('excluded.value'),
      })),
    ),
)

export const removeClient = prepareChange((q, p: Params<{ instanceId: string; id: string }>) =>
  q.deleteFrom('connected_clients').where('instance_id', '=', p('instanceId')).where('id', '=', p('id')),
)
