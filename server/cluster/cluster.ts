import type { ChangedEntity } from '../../contract/live/frames.ts'
import { type Bus, createBus } from '../history/events/bus.ts'
import type { RemoteClients } from '../resources/connected-client.ts'

/** A change that another instance made. */
export type RemoteChange = {
  readonly entity: ChangedEntity
  readonly id: string | null
  /** The users whose account or session changed. */
  readonly userIds: readonly string[]
}

/** The instances of the service that share its database. With the embedded store there is one: see `singleInstance`. */
export type Cluster = {
  /** Identifies this instance until it ends. */
  readonly instanceId: string
  /** True if other instances may use the same database. */
  readonly isShared: boolean
  /** Delivers announcements of all instances in the order of their numbers, each once. */
  readonly bus: Bus
  /** The clients that are connected to the other instances. */
  readonly clients: RemoteClients
  /**
   * True if no other instance was running when this one started, so what was in progress in the database has been
   * interrupted.
   */
  readonly wasAlone: boolean
  /** Returns true in the one instance that runs scheduled work. */
  isLeader(): boolean
  /** Returns the ids of the instances that have not ended. One that was killed is included for 20 s. */
  runningInstances(): Promise<ReadonlySet<string>>
  /** Resolves when everything that was committed before the call has been announced here. */
  caughtUp(): Promise<void>
  /**
   * Calls the listener for each change of another instance, before its frames are announced. If it fails, it is called
   * again later, and no frame is announced before.
   */
  onChange(listener: (change: RemoteChange) => Promise<void> | void): void
  /** Starts receiving announcements. Call it when all listeners are registered. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Returns the cluster of a service with the embedded store, which no other instance uses. */
export const singleInstance = (instanceId: string): Cluster => ({
  instanceId,
  isShared: false,
  wasAlone: true,
  bus: createBus(),
  clients: { list: () => [], changed: () => {} },
  isLeader: () => true,
  runningInstances: async () => new Set([instanceId]),
  caughtUp: () => Promise.resolve(),
  onChange: () => {},
  start: () => Promise.resolve(),
  close: () => Promise.resolve(),
})
