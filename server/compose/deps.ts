import type { Logger } from 'pino'
import type { StoreSubstitutes } from '../db/open.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Resolve } from '../outbound/targets.ts'
import type { OsKeyStore } from '../secrets/os-key-store.ts'

export type ComposeDeps = {
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly passwordCost: number
  readonly store: StoreSubstitutes
  /** Null: the service runs by itself, without the desktop app. */
  readonly osKeyStore: OsKeyStore | null
  /** Finds the addresses of the hosts that model providers are on. */
  readonly resolve: Resolve
  readonly onFatal: (error: Error) => void
}

/** Adds what ends a part that was started; the newest is ended first. */
export type Closing = (end: () => Promise<void>) => void
