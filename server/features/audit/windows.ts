import type { Span } from './filters.read.ts'

/** Entries looked at by one statement at first; then as many as go in a few milliseconds. */
const firstWidth = 4_000
const narrowest = 250
const widest = 1_000_000
const quickMs = 2
const slowMs = 6

/**
 * Cuts a span into windows, from its end or its start, each sized by how long the one before took: however rare the
 * rows that are looked for, no single statement holds up the service. `visit` returns true to go on.
 */
export async function walkWindows(
  span: Span,
  direction: 'asc' | 'desc',
  visit: (window: Span) => Promise<boolean>,
): Promise<void> {
  let width = firstWidth
  let { from, to } = span
  while (from < to) {
    const window =
      direction === 'asc'
        ? { from, to: Math.min(to, from + width) }
        : { from: Math.max(from, to - width), to }
    const started = performance.now()
    if (!(await visit(window))) return
    const took = performance.now() - started
    if (took < quickMs) width = Math.min(widest, width * 2)
    else if (took > slowMs) width = Math.max(narrowest, Math.floor((width * slowMs) / took))
    if (direction === 'asc') from = window.to
    else to = window.from
    // A statement resolves in a microtask: give timers and sockets their turn.
    if (from < to) await new Promise(setImmediate)
  }
}
