import type { Logger } from 'pino'
import type { StoreSubstitutes } from '../db/engines/sqljs/open.ts'
import { type OpenMulticast, systemMulticast } from '../lan/discovery/multicast.ts'
import { type NetworkSource, systemNetwork } from '../lan/network/source.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Every, systemEvery } from '../lib/every.ts'
import { type NewId, newUuid } from '../lib/ids.ts'
import { type Resolve, systemResolve } from '../outbound/targets.ts'
import type { OsKeyStore } from '../secrets/os-key-store.ts'

export type ComposeDeps = {
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly passwordCost: number
  readonly store: StoreSubstitutes
  /** Null if the service runs without the desktop app. */
  readonly osKeyStore: OsKeyStore | null
  /** Resolves the host names of outbound requests, such as those to model providers and webhooks. */
  readonly resolve: Resolve
  /** The timer of background tasks, such as checks of model providers and the export of telemetry. */
  readonly every: Every
  /** The interfaces of this computer and its host name. */
  readonly network: NetworkSource
  /** Opens multicast DNS on an interface of this computer. */
  readonly multicast: OpenMulticast
  readonly onFatal: (error: Error) => void
}

/** The dependencies on a real computer. */
export const systemDeps: Omit<ComposeDeps, 'logger' | 'onFatal'> = {
  clock: systemClock,
  newId: newUuid,
  passwordCost: 12,
  store: {},
  osKeyStore: null,
  resolve: systemResolve,
  every: systemEvery,
  network: systemNetwork,
  multicast: systemMulticast,
}

/** Registers a function that closes a part. The newest part is closed first. */
export type OnClose = (close: () => Promise<void>) => void
