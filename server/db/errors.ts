/** Why a store cannot be opened. The message is for a person: what was found, and what to do. */
export type StoreErrorCode =
  | 'locked'
  | 'damaged'
  /** Less is there than was acknowledged. */
  | 'incomplete'
  | 'newer_schema'
  | 'not_a_store'
  | 'unreadable'

export class StoreError extends Error {
  readonly code: StoreErrorCode
  /** Where the process that holds the folder listens, when it says so. */
  readonly url: string | null
  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown; url?: string | null } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StoreError'
    this.code = code
    this.url = options.url ?? null
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns true if SQLite or the process could not get memory; a trap is what the WASM module does when it cannot report it. */
export function isNoMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isRefused = error.message.startsWith('out of memory')
  const isUnallocated = error instanceof RangeError && error.message === 'Array buffer allocation failed'
  return error.name === 'RuntimeError' || isRefused || isUnallocated || isNoMemory(error.cause)
}

/** Returns why a store that failed takes nothing more, for a reply: without paths. */
export function stopReason(error: Error | undefined): string {
  const code = error !== undefined && 'code' in error ? error.code : undefined
  if (code === 'locked') return messageOf(error)
  const failed = `The store stopped: its disk or memory failed${typeof code === 'string' ? ` (${code})` : ''}.`
  return `${failed} Every write it acknowledged is kept. Start the service again.`
}
