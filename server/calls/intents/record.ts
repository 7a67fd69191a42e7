import type { CaptureMode } from '../../../contract/models/models.ts'
import type { Run, RunReport } from '../../../contract/runs/run.ts'
import type { Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'

/**
 * The run of a call made by the service: the fields an app would report, and fields that only the service
 * knows.
 */
export type CallRecord = RunReport & {
  /** The highest capture mode to use, if lower than that of the workspace; null: that of the workspace. */
  readonly capture: CaptureMode | null
  /** Input and output without the values of variables. */
  readonly redacted: { readonly input: unknown; readonly output: string | null } | null
  /** The id under which the gateway announced the run. Absent for other calls. */
  readonly callId?: string
  readonly replyMark?: ReplyMark | null
  /** The budgets that the call counts for. Absent for calls without budgets. */
  readonly counters?: readonly BudgetCounter[]
}

/** A budget that a call counts for: its owner, and the day of the call in the time zone of the owner. */
export type BudgetCounter = { readonly owner: string; readonly day: string }

/** The use of budgets by the calls of a transaction, by owner and day. */
export type BudgetUse = ReadonlyMap<
  string,
  BudgetCounter & { readonly tokens: number; readonly cost_nano: number }
>

/** Counts what calls used, in the transaction of their runs. */
export type AddBudgetUsage = (tx: Tx, used: BudgetUse) => Promise<void>

/** `unparsed`: the gateway forwarded a reply that it could not read. `hit`: it sent the reply from the cache. */
export type ReplyMark = 'unparsed' | 'hit'

/**
 * Adds the run of a call to the log. `claim` runs first in the same transaction. If it returns false, the run
 * is already in the log, nothing is added, and the result is null. Also works when the store has reached its
 * limit: a call that was accepted is logged.
 */
export type RecordCall = (
  ctx: Context,
  record: CallRecord,
  claim: (tx: Tx) => Promise<boolean>,
) => Promise<Run | null>
