import type { Run } from '../../contract/run.ts'
import type { Tx } from '../db/types.ts'
import type { Context } from '../lib/context.ts'
import { Problem } from '../lib/fail.ts'
import type { CallRecord, RecordCall } from './record.ts'

type Claim = (tx: Tx) => Promise<boolean>

export type Owed = {
  /**
   * Adds a run to the log. If the store refuses it now, it is queued for a retry, and the error is thrown.
   */
  keep(ctx: Context, record: CallRecord, claim: Claim): Promise<Run>
  /** Retries once more. A run that is still refused remains an intent until the next start. */
  close(): Promise<void>
}

const everyMs = 5_000

/** A retry queue of runs that the store refused. Their intents stay on disk until the runs are in the log. */
export function createOwed(deps: {
  readonly record: RecordCall
  readonly onRun: (run: Run) => void
  readonly onError: (error: unknown) => void
}): Owed {
  const waiting: (() => Promise<Run>)[] = []
  let timer: NodeJS.Timeout | null = null
  let trying: Promise<void> | null = null

  const put = async (ctx: Context, record: CallRecord, claim: Claim): Promise<Run> => {
    const run = await deps.record(ctx, record, claim)
    if (run === null) throw new Error('The run of a call was in the log before the call ended')
    deps.onRun(run)
    return run
  }

  const again = async () => {
    while (waiting[0] !== undefined) {
      try {
        await waiting[0]()
      } catch (error) {
        deps.onError(error)
        // A full store may have space later. Any other error would repeat.
        if (error instanceof Problem) return
      }
      waiting.shift()
    }
  }
  const tryAgain = (): Promise<void> => {
    trying ??= again().finally(() => {
      trying = null
      schedule()
    })
    return trying
  }
  const schedule = () => {
    if (timer !== null) clearTimeout(timer)
    timer = waiting.length === 0 ? null : setTimeout(() => void tryAgain(), everyMs).unref()
  }

  return {
    async keep(ctx, record, claim) {
      try {
        return await put(ctx, record, claim)
      } catch (error) {
        deps.onError(error)
        if (error instanceof Problem) {
          waiting.push(() => put(ctx, record, claim))
          if (trying === null) schedule()
        }
        throw error
      }
    },
    async close() {
      await trying
      await tryAgain()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
