import type { Logger } from 'pino'
import type { PeerLink } from '../db/peer-link.ts'
import type { Db } from '../db/types.ts'
import { type Bus, createBus } from '../history/events/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/fail.ts'
import { listInstances } from './clients/clients.store.ts'
import { createSharedClients } from './clients/shared-clients.ts'
import type { Cluster, RemoteChange } from './cluster.ts'
import { createOutbox } from './outbox.ts'
import { createReader } from './reader.ts'
import type { Signal } from './signal.ts'

export type SharedClusterDeps = {
  readonly db: Db
  readonly link: PeerLink
  readonly instanceId: string
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error' | 'debug'>
}

type Listener<T> = (value: T) => Promise<void> | void

const callAll =
  <T>(listeners: readonly Listener<T>[]) =>
  async (value: T): Promise<void> => {
    for (const listener of listeners) await listener(value)
  }

const logError =
  (logger: SharedClusterDeps['logger']) =>
  (err: unknown): void => {
    // The database is unavailable. The next read, one second later, returns what this one missed.
    if (err instanceof Problem && err.status === 503) logger.debug({ err }, 'events were not read')
    else logger.error({ err }, 'the state of other instances could not be handled')
  }

/**
 * Connects this instance to the others on its database. This instance reads its own frames from the events
 * table too, so that the frames of all instances arrive in one order.
 */
export async function createSharedCluster(deps: SharedClusterDeps): Promise<Cluster> {
  const { db, link, instanceId, clock, logger } = deps
  const local = createBus()
  const changeListeners: Listener<RemoteChange>[] = []
  const reader = await createReader({
    q: db.read,
    instanceId,
    bus: local,
    onChange: callAll(changeListeners),
    onSignal: (signal) => local.announce(signal),
  })
  const onError = logError(logger)
  let isStarted = false
  let isScheduled = false
  /** Reads, then notifies the others if `isNew`. */
  const read = async (isNew: boolean): Promise<void> => {
    if (!isStarted) return
    await reader.read().catch(onError)
    if (isNew) link.notify(reader.position())
  }
  /** Reads once for all frames that this round of the event loop announces. */
  const readSoon = (): void => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      void read(true)
    })
  }
  const clients = createSharedClients({
    db,
    clock,
    instanceId,
    onError,
    isLeader: link.isLeader,
    onChange: (workspaceIds) => local.announce({ kind: 'clients', workspaceIds }),
  })
  const outbox = createOutbox({ db, instanceId, onStored: () => void read(true), onError })
  // Connects early, so that it is known which instance is the leader.
  await link.start((payload) => {
    if (payload === null || !reader.isRead(payload)) void read(false)
    if (payload === null && isStarted) void clients.read()
  })
  return {
    instanceId,
    isShared: true,
    wasAlone: link.wasAlone(),
    bus: busOf(local, { noteOwn: reader.noteOwn, onFrame: readSoon, send: outbox.add }),
    clients,
    isLeader: link.isLeader,
    runningInstances: async () => new Set((await listInstances(db.read)).map(({ id }) => id)),
    caughtUp: () => (isStarted ? reader.read() : Promise.resolve()),
    onChange: (listener) => void changeListeners.push(listener),
    async start() {
      isStarted = true
      await Promise.all([read(false), clients.start(), clients.read()])
    },
    async close() {
      await clients.close()
      await outbox.close()
      await reader.read().catch(onError)
      isStarted = false
      await link.close()
    },
  }
}

type BusParts = {
  readonly noteOwn: (seq: number) => void
  readonly onFrame: () => void
  readonly send: (signal: Signal) => void
}

/** Returns a bus that stores announcements for all instances instead of delivering frames immediately. */
const busOf = (local: Bus, { noteOwn, onFrame, send }: BusParts): Bus => ({
  listen: local.listen,
  announce(announcement) {
    if (announcement.kind === 'frame') {
      noteOwn(announcement.frame.seq)
      onFrame()
      return
    }
    local.announce(announcement)
    if (announcement.kind === 'runs' || announcement.kind === 'providers') send(announcement)
  },
})
