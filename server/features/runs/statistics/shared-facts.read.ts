import type { Db } from '../../../db/types.ts'
import { createSharedResults } from '../../../lib/async/shared-results.ts'
import type { RunFilter } from '../store/filters.ts'
import type { Span } from '../store/windows.ts'
import { ceilTo, floorTo, tiers } from './rollups/calendar.ts'
import type { RunFacts } from './rollups/rollup.ts'
import { type ReadFacts, readFacts } from './rows.read.ts'

/** Maximum number of runs of one span that are shared: those of exact percentiles, and of the hours at its ends. */
const maxRuns = 6000
/** Length of a run as JSON, at most about this. */
const bytesPerRun = 400

/**
 * Creates a reader of runs for statistics. Statistics of the same filters whose periods differ within an hour share the
 * rows until something is written, because reading 1,000 of them takes longer than all sums. `maxBytes`: total size of
 * the shared rows; with 0, none are shared.
 */
export function createFactReader(db: Db, maxBytes: number): ReadFacts {
  const version = () => db.status().committed
  const sizeOf = (runs: readonly RunFacts[] | null) => (runs?.length ?? 0) * bytesPerRun
  const shared = createSharedResults<RunFacts[] | null>(version, maxBytes, sizeOf)
  return async function* readShared(span: Span, filter: RunFilter) {
    const hours = { from: floorTo(tiers.hour, span.from), to: ceilTo(tiers.hour, span.to) }
    const { from: _from, to: _to, ...untimed } = filter
    const key = JSON.stringify([hours, untimed])
    const runs =
      maxBytes === 0
        ? null
        : await shared.get(key, version(), () => readUpTo(readFacts(db.read, hours, filter)))
    if (runs === null) yield* readFacts(db.read, span, filter)
    else yield runs.filter(({ created_at: at }) => span.from <= at && at < span.to)
  }
}

/** Returns all runs; null if there are too many to share. */
async function readUpTo(chunks: AsyncIterable<RunFacts[]>): Promise<RunFacts[] | null> {
  const runs: RunFacts[] = []
  for await (const chunk of chunks) {
    runs.push(...chunk)
    if (runs.length > maxRuns) return null
  }
  return runs
}
