import type { ContentState } from '../../../../contract/runs/run-content.ts'
import type { Tx } from '../../../db/types.ts'
import { type Captured, type CapturedRuns, runOwner } from '../payloads/capture.ts'
import type { PayloadLocation } from '../payloads/payload-limits.ts'
import type { PayloadStage, PayloadWriter, PreparedPayload } from '../payloads/stored/stage.ts'
import type { Submission } from './submission.ts'

const isPrepared = (captured: Captured): captured is PreparedPayload =>
  typeof captured !== 'string' && 'payload' in captured

/** Begins to store payloads in a transaction. Returns null if there are none. */
export async function beginPlacing(
  tx: Tx,
  staged: PayloadStage | null,
  [first]: readonly Submission[],
  captured: CapturedRuns,
): Promise<PayloadWriter | null> {
  const isNeeded = [...captured.results.values()].some(isPrepared)
  return staged !== null && first !== undefined && isNeeded ? staged.begin(tx, first.ctx.now) : null
}

export type PlacedRun = {
  readonly id: number
  readonly location: PayloadLocation | null
  readonly contentState: ContentState
}

/** Returns the id of a new run after `lastId`, and the location of its payload. */
export function placeRun(
  payloadWriter: PayloadWriter | null,
  captured: Captured,
  lastId: number,
  createdAt: number,
): PlacedRun {
  if (typeof captured === 'string') return { id: lastId + 1, location: null, contentState: captured }
  if (!isPrepared(captured)) {
    // After a retry, a reserved id may already be below the last assigned id.
    return captured.id > lastId
      ? { id: captured.id, location: captured.location, contentState: 'captured' }
      : { id: lastId + 1, location: null, contentState: 'failed' }
  }
  const id = lastId + 1
  const owner = { owner: runOwner(id), run: { id, created_at: createdAt } }
  const location = payloadWriter?.place(captured, owner) ?? 'failed'
  return typeof location === 'string'
    ? { id, location: null, contentState: location }
    : { id, location, contentState: 'captured' }
}
