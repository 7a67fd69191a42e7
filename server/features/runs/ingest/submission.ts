import type { Run, RunReport } from '../../../../contract/runs/run.ts'
import type { CallRecord } from '../../../calls/intents/record.ts'
import type { Tx } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'

/** The runs of one request: a single run, or a batch that is stored completely or not at all. */
export type Submission = {
  readonly ctx: Context
  readonly reports: readonly (RunReport | CallRecord)[]
  /** True if errors name the item of the batch. */
  readonly isBatch: boolean
  /** False if the service made the call itself. */
  readonly isReported: boolean
  /**
   * Runs first in the same transaction. If it returns false, the runs are already in the log and none is
   * added. A submission with a claim is also accepted by a store that has reached its limit.
   */
  readonly claim?: (tx: Tx) => Promise<boolean>
}

/**
 * A stored run. `run` is null in a batch, and for a repeated `client_run_id`, where `id` is that of the first
 * one.
 */
export type StoredRun = { readonly id: number; readonly run: Run | null }
