import type { Tx } from '../../../../db/types.ts'
import type { PayloadLimits, PayloadLocation, PayloadRefusal } from '../payload-limits.ts'
import { lineOf } from '../payload-line.ts'
import { type NewPayload, payloadStore } from './payloads.store.ts'
import type { PayloadOwner, PayloadWriter, PreparedPayload } from './stage.ts'

type State = {
  readonly day: number
  readonly limits: PayloadLimits
  readonly rows: NewPayload[]
  /** Offset of the next line. */
  next: number
  freeBytes: number
}

/**
 * Reads the end of a day in a transaction, and assigns locations from there. No other transaction writes
 * meanwhile.
 */
export async function createPayloadWriter(
  { q }: Tx,
  day: number,
  limits: PayloadLimits,
): Promise<PayloadWriter> {
  await payloadStore.addDay(q, day, 0)
  const days = await payloadStore.days(q)
  const state: State = {
    day,
    limits,
    rows: [],
    next: days.find((each) => each.day === day)?.bytes ?? 0,
    freeBytes: limits.totalBytes - days.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  return {
    place: (prepared, owner) => place(state, prepared, owner),
    async flush() {
      if (state.rows.length === 0) return
      await payloadStore.insert(q, state.rows)
      await payloadStore.setBytes(q, day, state.next)
    },
  }
}

function place(
  state: State,
  { payload, terms, part }: PreparedPayload,
  { owner, run }: PayloadOwner,
): PayloadLocation | PayloadRefusal {
  const line = part === null ? lineOf({ owner, ...payload }) : null
  const length = line?.length ?? part?.length ?? 0
  if (length > state.limits.payloadBytes) return 'too_large'
  if (length > state.freeBytes) return 'full'
  const { day, next: offset } = state
  state.rows.push({
    day,
    start: offset,
    length,
    line: line?.toString('utf8') ?? null,
    object: part?.object ?? null,
    object_start: part?.start ?? null,
    run_id: run?.id ?? null,
    run_at: run?.created_at ?? null,
    terms: run === null ? null : terms,
  })
  state.next += length
  state.freeBytes -= length
  return { day, offset, length }
}
