import type { Db, Query } from '../../db/types.ts'
import { createSerialQueue, type SerialQueue } from '../../lib/async/serial-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ConnectedClient, RemoteClients } from '../../resources/connected-client.ts'
import { putClient, removeClient, removeInstance, storeHeartbeat } from './clients.store.ts'

/** Time in which changes are collected, in milliseconds. */
const collectMs = 250
/** Interval of the heartbeats of an instance, in milliseconds. */
export const heartbeatMs = 5_000
/** Number of heartbeats after which all connected clients are stored again, with new last-seen times. */
const heartbeatsPerRefresh = 6
/** Maximum number of clients that one transaction stores. */
const maxPerTransaction = 200

export type PublisherDeps = {
  readonly db: Pick<Db, 'write'>
  readonly clock: Clock
  readonly instanceId: string
  readonly onError: (error: unknown) => void
}

type Read = () => ConnectedClient | null

type State = PublisherDeps & {
  readonly queue: SerialQueue
  /** The clients of this instance that are stored, or will be. */
  readonly clients: Map<string, { readonly read: Read; hasEnded: boolean }>
  /** Ids of clients that changed since they were stored. */
  readonly changed: Set<string>
  revision: number
  isStarted: boolean
  timer: NodeJS.Timeout | null
}

/** Stores the clients of this instance for the others, in a few transactions per second at most. */
export function createClientPublisher(deps: PublisherDeps) {
  const state: State = {
    ...deps,
    queue: createSerialQueue(),
    clients: new Map(),
    changed: new Set(),
    revision: 0,
    isStarted: false,
    timer: null,
  }
  let heartbeatCount = 0
  let heartbeat: NodeJS.Timeout | null = null
  const storeHeartbeat = (): void => {
    heartbeatCount += 1
    if (heartbeatCount % heartbeatsPerRefresh === 0)
      for (const [id, { hasEnded }] of state.clients) if (!hasEnded) state.changed.add(id)
    void state.queue.run(() => store(state))
  }
  const changed: RemoteClients['changed'] = (id, read) => {
    if (!state.clients.has(id)) state.clients.set(id, { read, hasEnded: false })
    state.changed.add(id)
    storeSoon(state)
  }
  return {
    changed,
    async start() {
      state.isStarted = true
      heartbeat = setInterval(storeHeartbeat, heartbeatMs)
      heartbeat.unref()
      await state.queue.run(() => store(state))
    },
    /** Removes this instance and its clients. */
    async close() {
      if (!state.isStarted) return
      state.isStarted = false
      if (heartbeat !== null) clearInterval(heartbeat)
      if (state.timer !== null) clearTimeout(state.timer)
      await state.queue.idle()
      await deps.db
        .write(({ q }) => removeInstance(q, deps.instanceId), { evenWhenFull: true })
        .catch(deps.onError)
    },
  }
}

function storeSoon(state: State): void {
  if (!state.isStarted) return
  state.timer ??= setTimeout(() => {
    state.timer = null
    void state.queue.run(() => store(state))
  }, collectMs).unref()
}

/** Stores a heartbeat and the changed clients. After a failure, the next heartbeat tries again. */
async function store(state: State): Promise<void> {
  if (!state.isStarted) return
  const ids = [...state.changed].slice(0, maxPerTransaction)
  for (const id of ids) state.changed.delete(id)
  // Counted in case of a failure, too, because the result of a transaction can be unknown.
  state.revision += 1
  const changes = ids.map((id) => ({ id, client: state.clients.get(id)?.read() ?? null }))
  try {
    const isKnown = await state.db.write(({ q }) => write(state, q, changes), { evenWhenFull: true })
    for (const { id, client } of changes) noteStored(state, id, client)
    // Another instance removed this one, because it missed heartbeats.
    if (!isKnown) for (const id of state.clients.keys()) if (!ids.includes(id)) state.changed.add(id)
    if (state.changed.size > 0) storeSoon(state)
  } catch (error) {
    for (const id of ids) state.changed.add(id)
    state.onError(error)
  }
}

type Change = { readonly id: string; readonly client: ConnectedClient | null }

async function write(
  { clock, instanceId, revision }: State,
  q: Query,
  changes: readonly Change[],
): Promise<boolean> {
  const isKnown = await storeHeartbeat(q, { id: instanceId, heartbeat_at: clock.now().getTime(), revision })
  await Promise.all(
    changes.map(({ id, client }) => {
      if (client === null) return removeClient(q, { instanceId, id })
      const { last_seen_at: seenAt, ...value } = client
      const seen = { revision, last_seen_at: Date.parse(seenAt) }
      return putClient(q, { instance_id: instanceId, id, ...seen, value: JSON.stringify(value) })
    }),
  )
  return isKnown
}

function noteStored({ clients }: State, id: string, client: ConnectedClient | null): void {
  const entry = clients.get(id)
  if (client === null) clients.delete(id)
  else if (entry !== undefined) entry.hasEnded = client.disconnected_at !== undefined
}
