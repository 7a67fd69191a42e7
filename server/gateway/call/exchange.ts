import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../../lib/context.ts'
import type { Match } from '../protocols/protocols.ts'

/** One request to the gateway, and the reply to it. */
export type Exchange = {
  readonly ctx: Context
  readonly match: Match
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The query without `?`. */
  readonly search: string
  /** True if the credentials in the headers are the caller's own, for the provider. */
  readonly hasOwnKey: boolean
  /** Aborts with a `ModelError` if the caller has disconnected or lost access. */
  readonly signal: AbortSignal
}
