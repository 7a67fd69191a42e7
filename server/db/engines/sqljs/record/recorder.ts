import type { RecordTarget } from './guard.ts'
import { type StoreRecord, writeRecord } from './record-file.ts'

/** Updates the record from the journal's thread. Each call returns once the record is durable. */
export type Recorder = {
  /** Call it before anything in the segment is acknowledged. */
  opened(segment: { readonly sequence: number; readonly salt: number; readonly start: number }): void
  /** Call it after the last acknowledged transaction of a clean stop is durable. */
  closed(transaction: number): void
}

export function createRecorder(target: RecordTarget | undefined): Recorder {
  if (target === undefined) return { opened: () => {}, closed: () => {} }
  let { record } = target
  const write = (changed: Pick<StoreRecord, 'segment' | 'transaction' | 'is_clean'>): void => {
    const next = { ...record, ...changed, count: record.count + 1 }
    writeRecord(target.dataDir, next)
    record = next
  }
  return {
    opened: (segment) => write({ segment, transaction: segment.start, is_clean: false }),
    closed: (transaction) => write({ segment: record.segment, transaction, is_clean: true }),
  }
}
