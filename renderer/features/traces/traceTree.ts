import type { Run } from '../../../contract/runs/run.ts'
import type { TraceSpan } from '../../../contract/runs/spans.ts'

/** A model call, or an agent, workflow, step or tool around it. */
export type TraceItem =
  | { readonly type: 'run'; readonly run: Run }
  | { readonly type: 'span'; readonly span: TraceSpan }

/** An item of a trace, with its place in the tree and on the time axis. */
export type TraceRow = {
  readonly item: TraceItem
  readonly key: string
  /** 0 for an item whose parent is not in the trace. */
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

/** Returns the runs of a trace, in the order of its rows. */
export const runsOf = ({ rows }: Trace): readonly Run[] =>
  rows.flatMap(({ item }) => (item.type === 'run' ? [item.run] : []))

/** Returns the run or span of an item. Both have a start, a duration and span IDs. */
export const timesOf = (item: TraceItem): Run | TraceSpan => (item.type === 'run' ? item.run : item.span)
const startOf = (item: TraceItem): number => Date.parse(timesOf(item).created_at)
const keyOf = (item: TraceItem): string =>
  item.type === 'run' ? `run ${item.run.id}` : `span ${item.span.workspace_id} ${item.span.span_id}`

/** Orders by time. Of two that start together, the longer one is first, because it may be the parent. */
function inTime(a: TraceItem, b: TraceItem): number {
  const ids = a.type === 'run' && b.type === 'run' ? a.run.id - b.run.id : 0
  return startOf(a) - startOf(b) || timesOf(b).latency_ms - timesOf(a).latency_ms || ids
}

/**
 * Returns a function that finds an item's parent: by its parent span, else by the `parent_id` of a run. A span id may
 * occur in several workspaces; the span of the item's own workspace takes precedence.
 */
function parentIn(items: readonly TraceItem[]): (item: TraceItem) => TraceItem | null {
  const bySpan = new Map<string, TraceItem[]>()
  const byId = new Map<string, TraceItem>()
  for (const item of items) {
    const { span_id: spanId } = timesOf(item)
    if (spanId !== null) bySpan.set(spanId, [...(bySpan.get(spanId) ?? []), item])
    if (item.type === 'run') byId.set(String(item.run.id), item)
  }
  return (item) => {
    const { parent_span_id: parentSpan, workspace_id: workspace } = timesOf(item)
    const parentRun = item.type === 'run' ? item.run.parent_id : null
    const spans = (parentSpan === null ? undefined : bySpan.get(parentSpan)) ?? []
    return (
      spans.find((span) => timesOf(span).workspace_id === workspace) ??
      spans[0] ??
      (parentRun === null ? undefined : byId.get(parentRun)) ??
      null
    )
  }
}

/** Arranges calls and spans as a tree. The first item of a cycle is a root. */
export function traceOf(runs: readonly Run[], spans: readonly TraceSpan[]): Trace {
  const sorted = [
    ...spans.map((span): TraceItem => ({ type: 'span', span })),
    ...runs.map((run): TraceItem => ({ type: 'run', run })),
  ].sort(inTime)
  const startMs = sorted[0] === undefined ? 0 : startOf(sorted[0])
  const endMs = Math.max(startMs, ...sorted.map((item) => startOf(item) + timesOf(item).latency_ms))
  const parentOf = parentIn(sorted)
  const children = new Map<TraceItem | null, TraceItem[]>()
  for (const item of sorted) {
    const parent = parentOf(item)
    children.set(parent, [...(children.get(parent) ?? []), item])
  }
  const rows: TraceRow[] = []
  const shown = new Set<TraceItem>()
  const add = (item: TraceItem, depth: number) => {
    if (shown.has(item)) return
    shown.add(item)
    rows.push({ item, key: keyOf(item), depth, offsetMs: startOf(item) - startMs })
    for (const child of children.get(item) ?? []) add(child, depth + 1)
  }
  for (const item of children.get(null) ?? []) add(item, 0)
  // The remaining items are part of a cycle, or below one.
  for (const item of sorted) add(item, 0)
  return { rows, startMs, durationMs: endMs - startMs }
}
