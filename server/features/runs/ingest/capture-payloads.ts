import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { CallRecord } from '../../../calls/intents/record.ts'
import type { Db } from '../../../db/types.ts'
import { fail } from '../../../lib/fail.ts'
import { isNoSpace } from '../../../lib/files/no-space.ts'
import { type CapturedRuns, capture } from '../payloads/capture.ts'
import type { PayloadHold, Payloads } from '../payloads/payload-files.ts'
import { runStore } from '../store/runs.store.ts'

export type PayloadCapture = {
  /** Stores the payloads of runs whose rows are written next. */
  capture(
    reports: readonly (RunReport | CallRecord)[],
    options: {
      readonly setting: CaptureMode
      readonly now: Date
      readonly evenWhenFull: boolean
      readonly hold: PayloadHold
    },
  ): Promise<CapturedRuns>
  /** Reports that `id` was assigned to a run. */
  assigned(id: number): void
}

/**
 * Writes payloads before their rows, with the id that the row will have. Reserved ids that are not used are
 * skipped.
 */
export function createPayloadCapture(deps: {
  readonly db: Db
  readonly payloads: Payloads
  readonly onError: (error: unknown) => void
}): PayloadCapture {
  const { db, payloads } = deps
  /** The last id that was assigned or reserved. */
  let lastId = 0

  async function reserveIds(count: number): Promise<number> {
    const stored = lastId === 0 ? await runStore.lastId(db.read) : 0
    const first = Math.max(lastId, stored) + 1
    lastId = first + count - 1
    return first
  }

  return {
    capture: (reports, { setting, now, evenWhenFull, hold }) =>
      capture({ q: db.read, payloads, hold, setting, now, reserveIds }, reports).catch((error: unknown) => {
        if (evenWhenFull) {
          // The run is more important than its payload, so it is stored without it.
          deps.onError(error)
          const reason = isNoSpace(error) ? 'full' : 'failed'
          return {
            results: new Map(reports.map((report) => [report, reason])),
            // The input is not stored, so no error may quote it.
            modes: new Map(reports.map((report) => [report, 'off'])),
          }
        }
        throw isNoSpace(error) ? fail('store.full', { cause: error }) : error
      }),
    assigned(id) {
      lastId = Math.max(lastId, id)
    },
  }
}
