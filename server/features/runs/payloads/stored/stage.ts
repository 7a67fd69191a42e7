import type { Tx } from '../../../../db/types.ts'
import type { PayloadLocation, PayloadRefusal } from '../payload-limits.ts'
import type { Payload } from '../payload-line.ts'

/** A part of an object outside the database. */
export type ObjectPart = { readonly object: string; readonly start: number; readonly length: number }

/** A payload with everything that is known before its transaction. */
export type PreparedPayload = {
  readonly payload: Payload
  /** The terms of the search index. */
  readonly terms: readonly string[]
  /** The place of its line outside the database; null if the line is stored with the row. */
  readonly part: ObjectPart | null
}

/** The owner of a payload, with its run if it belongs to one. */
export type PayloadOwner = {
  readonly owner: string
  readonly run: { readonly id: number; readonly created_at: number } | null
}

/** Places the payloads of one transaction. */
export type PayloadWriter = {
  /** Assigns the location of a payload. */
  place(prepared: PreparedPayload, owner: PayloadOwner): PayloadLocation | PayloadRefusal
  /** Inserts what was placed. */
  flush(): Promise<void>
}

/** Stores payloads in the transaction of their rows: first `prepare`, then `begin` in the transaction. */
export type PayloadStage = {
  /** Finds words and writes objects, before the transaction, so that other transactions are not delayed. */
  prepare(at: Date, payloads: readonly Payload[]): Promise<(PreparedPayload | PayloadRefusal)[]>
  begin(tx: Tx, at: Date): Promise<PayloadWriter>
}
