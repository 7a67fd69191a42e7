import type { InstancesTable } from '../../db/schema/instances.ts'
import type { Db } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { hourMs } from '../../lib/durations.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'
import { heartbeatMs } from './client-publisher.ts'
import { clientsAfter, listInstances, removeInstance } from './clients.store.ts'

/** Time after its last heartbeat at which an instance counts as ended, in milliseconds. */
const endedMs = 4 * heartbeatMs
/** Time without a read after which heartbeats may have been missed, in milliseconds. */
const gapMs = heartbeatMs
/** Maximum number of disconnected clients per instance, as in the registry of each. */
const maxDisconnected = 1000

export type MirrorDeps = {
  readonly db: Pick<Db, 'read' | 'write'>
  readonly clock: Clock
  readonly instanceId: string
  readonly isLeader: () => boolean
  /** Called when clients of other instances changed. Null: of any workspace. */
  readonly onChange: (workspaceIds: readonly string[] | null) => void
}

type StoredClient = { readonly value: string; readonly client: ConnectedClient }

type Instance = {
  /** Times of this process, because the clocks of instances may differ. */
  readonly foundAtMs: number
  seenAtMs: number
  heartbeatAt: number
  /** True if it has missed its heartbeats. */
  hasEnded: boolean
  revision: number
  readonly clients: Map<string, StoredClient>
}

type State = MirrorDeps & {
  /** The other instances. */
  readonly instances: Map<string, Instance>
  readAtMs: number
  list: readonly ConnectedClient[]
  /** Changes that `onChange` has not been called for. */
  changes: Changes
}

/** The workspaces of clients that changed. `isAny`: all clients of an instance did. */
type Changes = { isAny: boolean; hasSome: boolean; readonly workspaceIds: Set<string> }

const noChanges = (): Changes => ({ isAny: false, hasSome: false, workspaceIds: new Set() })

/** A copy of the clients of other instances in memory. */
export function createClientMirror(deps: MirrorDeps) {
  const state: State = { ...deps, instances: new Map(), readAtMs: 0, list: [], changes: noChanges() }
  let running: Promise<void> | null = null
  let isClosed = false
  return {
    list: (): readonly ConnectedClient[] => state.list,
    /** Reads what changed. Two reads never run at the same time. */
    read(): Promise<void> {
      if (isClosed) return Promise.resolve()
      running ??= readChanges(state).finally(() => {
        running = null
      })
      return running
    },
    async close(): Promise<void> {
      isClosed = true
      await running
    },
  }
}

async function readChanges(state: State): Promise<void> {
  const { db, clock, instances, instanceId } = state
  const rows = (await listInstances(db.read)).filter(({ id }) => id !== instanceId)
  const nowMs = clock.now().getTime()
  // The database was unavailable, or this process was suspended. Heartbeats of that time do not count as missed.
  if (nowMs - state.readAtMs > gapMs)
    for (const instance of instances.values()) if (!instance.hasEnded) instance.seenAtMs = nowMs
  state.readAtMs = nowMs
  for (const row of rows) await readInstance(state, row, nowMs)
  removeClosed(state, rows)
  state.list = [...instances.values()].flatMap((instance) =>
    instance.hasEnded ? [] : listed(instance.clients, nowMs),
  )
  announce(state)
  if (state.isLeader()) await removeEnded(state, nowMs)
}

function announce(state: State): void {
  const { changes } = state
  state.changes = noChanges()
  if (changes.isAny) state.onChange(null)
  else if (changes.hasSome) state.onChange([...changes.workspaceIds])
}

async function readInstance(state: State, row: InstancesTable, nowMs: number): Promise<void> {
  const found = state.instances.get(row.id)
  const instance = found ?? newInstance(row, nowMs)
  state.instances.set(row.id, instance)
  if (row.heartbeat_at !== instance.heartbeatAt) instance.seenAtMs = nowMs
  instance.heartbeatAt = row.heartbeat_at
  const hadEnded = instance.hasEnded
  instance.hasEnded = nowMs - instance.seenAtMs > endedMs
  if (hadEnded !== instance.hasEnded && instance.clients.size > 0) state.changes.isAny = true
  if (instance.hasEnded || row.revision <= instance.revision) return
  await readClients(state, row.id, instance)
  instance.revision = row.revision
}

const newInstance = ({ heartbeat_at: heartbeatAt }: InstancesTable, nowMs: number): Instance => ({
  foundAtMs: nowMs,
  // Its row is no proof that it runs: it may have ended long ago.
  seenAtMs: Math.min(nowMs, heartbeatAt),
  heartbeatAt,
  hasEnded: false,
  revision: 0,
  clients: new Map(),
})

async function readClients({ db, changes }: State, instanceId: string, known: Instance): Promise<void> {
  const rows = await clientsAfter(db.read, { instanceId, revision: known.revision })
  for (const { id, last_seen_at: seenAt, value } of rows) {
    const before = known.clients.get(id)
    // The publisher wrote it from a typed client.
    const { last_seen_at: _, ...stored } = before?.value === value ? before.client : JSON.parse(value)
    const client: ConnectedClient = { ...stored, last_seen_at: new Date(seenAt).toISOString() }
    known.clients.set(id, { value, client })
    if (before?.value === value) continue
    changes.hasSome = true
    if (client.workspaceId !== null) changes.workspaceIds.add(client.workspaceId)
  }
}

/** Removes instances whose rows were removed. */
function removeClosed({ instances, changes }: State, rows: readonly InstancesTable[]): void {
  const stored = new Set(rows.map(({ id }) => id))
  for (const [id, { clients, hasEnded }] of instances) {
    if (stored.has(id)) continue
    if (clients.size > 0 && !hasEnded) changes.isAny = true
    instances.delete(id)
  }
}

/** Removes clients that disconnected long ago, and returns the others. */
function listed(clients: Map<string, StoredClient>, nowMs: number): readonly ConnectedClient[] {
  const limit = new Date(nowMs - hourMs).toISOString()
  const gone = [...clients.values()]
    .map(({ client }) => ({ id: client.id, at: client.disconnected_at }))
    .filter((each): each is { id: string; at: string } => each.at !== undefined)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
  for (const [index, { id, at }] of gone.entries())
    if (at <= limit || gone.length - index > maxDisconnected) clients.delete(id)
  return [...clients.values()].map(({ client }) => client)
}

/** Removes the rows of instances that were killed. */
async function removeEnded({ db, instances }: State, nowMs: number): Promise<void> {
  // One whose clock is behind this one seems to have ended until its next heartbeat.
  const ended = [...instances].flatMap(([id, { hasEnded, foundAtMs }]) =>
    hasEnded && nowMs - foundAtMs > endedMs ? [id] : [],
  )
  if (ended.length === 0) return
  await db.write(
    async ({ q }) => {
      for (const id of ended) await removeInstance(q, id)
    },
    { evenWhenFull: true },
  )
}
