import type { Answer } from './wire.ts'

/**
 * Fault of the server in one request. Without a plan it replies normally.
 * - `silent` accepts the request and never replies; `reset` closes the connection before a reply.
 * - `garbled` starts a stream with a frame that is not JSON.
 * - In the middle of a stream: `malformed` is a frame that is not JSON, `error` the protocol's own error,
 *   `stall` no further data, `drop` a lost connection, `truncated` a regular end too early, `endless` text
 *   without end, `unbroken` one line without end.
 * - `page` replies 200 with HTML, like the sign-in page of a proxy.
 */
export type Fault =
  | 'silent'
  | 'reset'
  | 'garbled'
  | 'malformed'
  | 'error'
  | 'stall'
  | 'drop'
  | 'truncated'
  | 'endless'
  | 'unbroken'
  | 'page'

export type Plan = {
  /** Rejects the request with this status. */
  readonly status?: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the protocol's own error body. */
  readonly body?: string
  readonly fault?: Fault
  /** Delay between the frames of a stream. */
  readonly paceMs?: number
  readonly answer?: Partial<Answer>
}
