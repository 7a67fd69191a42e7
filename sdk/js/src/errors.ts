/**
 * What went wrong, as one stable word:
 * - `Invalid`: what was given cannot work; the message says what to change.
 * - `NotFound`: the service answered that nothing is served under that key.
 * - `Unauthorized`: the service does not know the token (401).
 * - `Forbidden`: the token is known, but not for this (403).
 * - `Unavailable`: the service could not say, and there was no copy to fall back on.
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
  /** Of `Dropped`: how many reports were lost since it was last told. */
  readonly count?: number | null
  readonly cause?: unknown
}

/** Every error of this package. Tell them apart by `code`. */
export class PromptdeckError extends Error {
  override readonly name = 'PromptdeckError'
  readonly code: ErrorCode
  /** Under which the service logged the request; null when it gave none. */
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
  new PromptdeckError('Closed', 'The client was closed. Make a new one.')

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
