import { hash } from 'node:crypto'
import type { NamedRun } from '../../db/schema/run-columns.ts'

/** A stored run, with names as text. */
export type ExportedRun = Omit<
  NamedRun,
  'payload_day' | 'payload_offset' | 'payload_length' | 'payload_state'
>

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

export type SpanIds = {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly parentSpanId: Buffer | null
}

/**
 * Returns the ids of the span of a run: its own, or ids derived from the run. Calls of one execution share a trace.
 * `store` separates services.
 */
export function spanIdsOf(run: ExportedRun, store: string): SpanIds {
  const { id, trace_id: traceId, span_id: spanId, parent_span_id: parent } = run
  return {
    traceId:
      traceId === null
        ? digest(`${store} trace ${run.parent_id ?? `run ${id}`}`).subarray(0, 16)
        : Buffer.from(traceId, 'hex'),
    spanId: spanId === null ? digest(`${store} span ${id}`).subarray(0, 8) : Buffer.from(spanId, 'hex'),
    parentSpanId: parent === null ? null : Buffer.from(parent, 'hex'),
  }
}
