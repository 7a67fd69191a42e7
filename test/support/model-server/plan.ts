import type { Answer } from './wire.ts'

/**
 * What the server does with one request. Without a plan it answers.
 * - `silent` takes the request and says nothing; `reset` closes the connection before a reply.
 * - `garbled` begins a stream with a frame that is no JSON.
 * - in the middle of a stream: `malformed` a frame that is no JSON, `error` the protocol's own error, `stall` silence,
 *   `drop` a broken connection, `truncated` an end that looks regular, `endless` text without end, `unbroken` one line
 *   without end.
 * - `page` answers 200 with HTML, as a proxy does that nobody is signed in to.
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
  /** Refuses with this. */
  readonly status?: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of what the protocol refuses with. */
  readonly body?: string
  readonly fault?: Fault
  /** Between the frames of a stream. */
  readonly paceMs?: number
  readonly answer?: Partial<Answer>
}
