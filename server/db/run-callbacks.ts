import { messageOf } from '../lib/text/message-of.ts'
import type { StoreLogger } from './types.ts'

/** Runs the callbacks of a committed transaction. Logs an error of one, and runs the others. */
export function runCallbacks(callbacks: readonly (() => void)[], logger: StoreLogger): void {
  for (const callback of callbacks) {
    try {
      callback()
    } catch (error) {
      logger.error({ reason: messageOf(error) }, 'a callback after commit failed')
    }
  }
}
