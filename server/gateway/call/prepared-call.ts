import type { DirectProvider } from '../../models/model.ts'
import type { RunHeaders } from '../request/run-headers.ts'
import type { Exchange } from './exchange.ts'
import type { ProviderRequest } from './serve-prompt.ts'

/** A call whose caller and place are checked. */
export type PreparedCall = ProviderRequest & {
  readonly exchange: Exchange
  readonly provider: DirectProvider
  readonly headers: RunHeaders
  readonly workspaceId: string
  /** Null: the model of the request is not a virtual one. */
  readonly attempt: VirtualAttempt | null
}

/** A try of a virtual model. */
export type VirtualAttempt = {
  readonly model: string
  /** From 1. */
  readonly number: number
  readonly hasNext: boolean
  /** Time for the reply to begin, in milliseconds; null for that of the gateway. */
  readonly timeoutMs: number | null
}
