/**
 * Stable code of an error:
 * - `Invalid`: the input cannot work; the message names what to change.
 * - `NotFound`: the service replied that nothing is served under the key.
 * - `Unauthorized`: the service does not know the token (401).
 * - `Forbidden`: the token is known but has no permission for this (403).
 * - `Unavailable`: the service did not reply, and there was no copy to fall back on.
 * - `Closed`: the client was closed.
 * - `Dropped`: reports were lost because the queue was full.
 */
export type ErrorCode =
  | 'Invalid'
  | 'NotFound'
  | 'Unauthorized'
  | 'Forbidden'
  | 'Unavailable'
  | 'Closed'
  | 'Dropped'

export type ErrorDetails = {
  readonly requestId?: string | null
  /** For `Dropped`: the number of reports lost since the previous event. */
  readonly count?: number | null
  readonly cause?: unknown
}

/** Class of all errors of this package, distinguished by `code`. */
export class PromptdeckError extends Error {
  override readonly name = 'PromptdeckError'
  readonly code: ErrorCode
  /** Id under which the service logged the request; null if it gave none. */
  readonly requestId: string | null
  readonly count: number | null

  constructor(
    code: ErrorCode,
    message: string,
    { requestId = null, count = null, cause }: ErrorDetails = {},
  ) {
    super(
      requestId === null ? message : `${message} (request ${requestId})`,
      cause === undefined ? {} : { cause },
    )
    this.code = code
    this.requestId = requestId
    this.count = count
  }
}

export const invalid = (message: string): PromptdeckError => new PromptdeckError('Invalid', message)

export const closed = (): PromptdeckError =>
  new PromptdeckError('Closed', 'The client is closed. Create a new one.')

/** Returns the message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
