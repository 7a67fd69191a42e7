import type { RunReport } from '../../../../contract/runs/run.ts'
import type { LogRecord } from '../../protocol/records.ts'

/** Fields of the run that an event of a program describes. */
export type EventRun = Partial<Record<keyof RunReport, unknown>> & {
  /** Epoch milliseconds; null: unknown, and the end of the call minus `latency_ms` is its start. */
  readonly startMs: number | null
}

/** A program whose log events describe model calls. */
export type EventSource = {
  /** Returns the run of an event; null for an event that is not a call. `reporter` separates callers. */
  readonly runOf: (record: LogRecord, reporter: string) => EventRun | null
  /** Attributes that become fields of the run, so that they are not also metadata. */
  readonly known: readonly string[]
}
