import type { CaptureMode } from '../../contract/models.ts'
import type { Run, RunReport } from '../../contract/run.ts'
import type { Tx } from '../db/types.ts'
import type { Context } from '../lib/context.ts'

/** The run of a call the service made: what an app would report, and what only the service knows. */
export type CallRecord = RunReport & {
  /** Keep less of input and output than the workspace does; null: what the workspace keeps. */
  readonly capture: CaptureMode | null
  /** The same without the values of variables. */
  readonly redacted: { readonly input: unknown; readonly output: string | null } | null
}

/**
 * Puts the run of a call into the log. `claim` runs first in the same transaction; when it says false, the run is in the
 * log already and nothing is added (null). Goes on in a store that has reached its limit: a call that was let in is logged.
 */
export type RecordCall = (
  ctx: Context,
  record: CallRecord,
  claim: (tx: Tx) => Promise<boolean>,
) => Promise<Run | null>
