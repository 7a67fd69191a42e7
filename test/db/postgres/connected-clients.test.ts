import { expect, it } from 'vitest'
import { createSharedClients } from '../../../server/cluster/clients/shared-clients.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import type { Db } from '../../../server/db/types.ts'
import type { ConnectedClient } from '../../../server/resources/connected-client.ts'
import { manualClock } from '../../server/audit/audit-support.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()

const client = (id: string): ConnectedClient => ({
  id,
  client_type: 'node-sdk',
  app: 'shop',
  namespace: 'prod',
  remote_addr: '127.0.0.1',
  user_agent: 'node',
  connected_at: '2026-11-21T09:00:00.000Z',
  last_seen_at: '2026-11-21T09:00:00.000Z',
  username: 'ann',
  account: 'user ann',
  instance_id: null,
  sdk_version: null,
  workspace: 'default',
  workspaceId: 'default',
  keys: [],
  acked: [],
})

/** Creates an instance whose own timers do not run within a test. */
function instance(db: Db, instanceId: string, clock = manualClock(), isLeader = false) {
  const changes: (readonly string[] | null)[] = []
  const clients = createSharedClients({
    db,
    clock,
    instanceId,
    isLeader: () => isLeader,
    onChange: (workspaceIds) => changes.push(workspaceIds),
    onError: (error) => {
      throw error
    },
  })
  return { ...clients, clock, changes, ids: () => clients.list().map(({ id }) => id) }
}

it('ignores the clients of an instance without heartbeats, and the leader removes them', async () => {
  const { db } = await server.open({ migrations })
  const killed = instance(db, 'killed')
  killed.changed('c-1', () => client('c-1'))
  killed.changed('c-2', () => null)
  await killed.start()
  const leader = instance(db, 'leader', manualClock(), true)
  const other = instance(db, 'other')
  for (const each of [leader, other]) {
    await each.read()
    expect(each.ids()).toEqual(['c-1'])
    expect(each.changes).toEqual([['default']])
  }
  // As each second; a longer pause would be one of this process.
  for (let step = 0; step < 5; step += 1) {
    other.clock.advance(4_000)
    await other.read()
    expect(other.ids()).toEqual(['c-1'])
  }
  other.clock.advance(1_000)
  await other.read()
  expect(other.ids()).toEqual([])
  expect(other.changes).toEqual([['default'], null])
  const stored = () => db.read.selectFrom('connected_clients').select('id').execute()
  expect(await stored()).toEqual([{ id: 'c-1' }])
  for (let step = 0; step < 6; step += 1) {
    leader.clock.advance(4_000)
    await leader.read()
  }
  expect(leader.ids()).toEqual([])
  expect(await stored()).toEqual([])

  // It was only slow: with its next change it stores all its clients again.
  killed.clock.advance(60_000)
  killed.changed('c-3', () => client('c-3'))
  await expect.poll(stored).toHaveLength(2)
  await other.read()
  expect(other.ids().toSorted()).toEqual(['c-1', 'c-3'])
  await killed.close()
  await other.read()
  expect(other.ids()).toEqual([])
})

it('does not take its own pause for the end of others, nor another clock', async () => {
  const { db } = await server.open({ migrations })
  const late = instance(db, 'late', manualClock('2026-11-21T08:00:00.000Z'))
  late.changed('c-1', () => client('c-1'))
  await late.start()
  const leader = instance(db, 'leader', manualClock(), true)
  await leader.read()
  // It may have ended an hour ago. Its heartbeat shows that it did not.
  expect(leader.ids()).toEqual([])
  late.clock.advance(5_000)
  late.changed('c-2', () => client('c-2'))
  const listed = async () => {
    await leader.read()
    return leader.ids()
  }
  await expect.poll(listed).toHaveLength(2)
  leader.clock.advance(600_000)
  await leader.read()
  expect(leader.ids().toSorted()).toEqual(['c-1', 'c-2'])
  await late.close()
})
