import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'

export type ComposeDeps = {
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly passwordCost: number
  readonly onFatal: (error: Error) => void
}

/** Adds what ends a part that was started; the newest is ended first. */
export type Closing = (end: () => Promise<void>) => void
