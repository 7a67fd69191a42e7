import type { Run } from '../../../contract/runs/run.ts'

/** A run in a trace, with its place in the tree and on the time axis. */
export type TraceRow = {
  readonly run: Run
  /** 0 for a run whose parent is not in the trace. */
  readonly depth: number
  /** Milliseconds since the start of the trace. */
  readonly offsetMs: number
}

export type Trace = {
  /** Parents before their children, each group in order of time. */
  readonly rows: readonly TraceRow[]
  readonly startMs: number
  readonly durationMs: number
}

const startOf = (run: Run): number => Date.parse(run.created_at)

/**
 * Arranges runs as a tree: a run is below the run whose span made it, else below the run that it names as parent. A run
 * that would be below itself is a root.
 */
export function traceOf(runs: readonly Run[]): Trace {
  const sorted = [...runs].sort((a, b) => startOf(a) - startOf(b) || a.id - b.id)
  const startMs = sorted[0] === undefined ? 0 : startOf(sorted[0])
  const endMs = Math.max(startMs, ...sorted.map((run) => startOf(run) + run.latency_ms))
  const bySpan = new Map(sorted.flatMap((run) => (run.span_id === null ? [] : [[run.span_id, run] as const])))
  const byId = new Map(sorted.map((run) => [String(run.id), run]))
  const parentOf = (run: Run) =>
    (run.parent_span_id === null ? undefined : bySpan.get(run.parent_span_id)) ??
    (run.parent_id === null ? undefined : byId.get(run.parent_id))
  const children = new Map<Run | null, Run[]>()
  for (const run of sorted) {
    const parent = parentOf(run) ?? null
    children.set(parent, [...(children.get(parent) ?? []), run])
  }
  const rows: TraceRow[] = []
  const shown = new Set<Run>()
  const add = (run: Run, depth: number) => {
    if (shown.has(run)) return
    shown.add(run)
    rows.push({ run, depth, offsetMs: startOf(run) - startMs })
    for (const child of children.get(run) ?? []) add(child, depth + 1)
  }
  for (const run of children.get(null) ?? []) add(run, 0)
  // What remains is part of a circle.
  for (const run of sorted) add(run, 0)
  return { rows, startMs, durationMs: endMs - startMs }
}
