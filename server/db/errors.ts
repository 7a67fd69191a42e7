import { messageOf } from '../lib/text/message-of.ts'

/** The reason why a store cannot be opened. The message states what was found and what to do. */
export type StoreErrorCode =
  | 'locked'
  | 'damaged'
  /** Acknowledged data is missing. */
  | 'incomplete'
  | 'newer_schema'
  /** A program that may not migrate found the schema of an older version. */
  | 'older_schema'
  | 'not_a_store'
  | 'unreadable'
  /** The database server does not answer or refuses the connection. */
  | 'unreachable'
  /** The database server is too old, or its encoding is not UTF-8. */
  | 'unsupported'

/** An error of opening, restoring or recovering a store. The message is for the user. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  /** URL of the process that owns the folder; null if unknown. */
  readonly url: string | null
  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown; url?: string | null } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StoreError'
    this.code = code
    this.url = options.url ?? null
  }
}

/**
 * Returns true if SQLite or the process could not allocate memory. A `RuntimeError` is a trap of the WASM
 * module, which is how the module fails if it cannot report the lack of memory.
 */
export function isNoMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isRefused = error.message.startsWith('out of memory')
  const isUnallocated = error instanceof RangeError && error.message === 'Array buffer allocation failed'
  return error.name === 'RuntimeError' || isRefused || isUnallocated || isNoMemory(error.cause)
}

/** Returns why a failed store accepts no more writes. The text is for replies, so it contains no paths. */
export function stopReason(error: Error | undefined): string {
  const code = error !== undefined && 'code' in error ? error.code : undefined
  if (code === 'locked') return messageOf(error)
  const failed = `The store stopped: its disk or memory failed${typeof code === 'string' ? ` (${code})` : ''}.`
  return `${failed} Every write it acknowledged is kept. Start the service again.`
}
