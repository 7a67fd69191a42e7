import { prepareChange, prepareQuery } from '../../../../db/prepared.ts'
import type { Query } from '../../../../db/types.ts'
import { createYield } from '../../../../lib/async/yield.ts'
import { tiers } from './calendar.ts'
import {
  addToTier,
  countBase,
  countSingles,
  type Deltas,
  factColumns,
  measuresOf,
  type RollupMeasures,
  type RunFacts,
  ttftMeasuresOf,
} from './rollup.ts'
import { writeDeltas } from './rollups.store.ts'

const keys = ['rolled_up_run_id', 'base_run_id', 'ttft_run_id'] as const
const readCounted = prepareQuery<Record<never, never>, { key: string; value: number }>((q) =>
  q.selectFrom('meta').select(['key', 'value']).where('key', 'in', keys),
)
const setProgress = prepareChange<{ value: number }>((q, p) =>
  q
    .updateTable('meta')
    .set({ value: p('value') })
    .where('key', '=', 'rolled_up_run_id'),
)
const runsAfter = prepareQuery<{ id: number; limit: number }, RunFacts>((q, p) =>
  q.selectFrom('runs').select(factColumns).where('id', '>', p('id')).orderBy('id').limit(p('limit')),
)

/** The highest ids of runs that roll-ups include. Runs are added in the order of their ids. */
export type Counted = {
  /** In the roll-ups of single dimensions. */
  readonly singles: number
  /** In all others; higher only while runs from before migration 38 are missing in single dimensions. */
  readonly base: number
  /**
   * The last run from before migration 24. Runs after `singles` up to it are in the other roll-ups without their time to
   * first token, which is added together with the single dimensions.
   */
  readonly ttfts: number
}
export async function countedRuns(q: Query): Promise<Counted> {
  const rows = await readCounted(q, {})
  const [singles, base, ttfts] = keys.map((key) => rows.find((row) => row.key === key)?.value ?? 0)
  return { singles: singles ?? 0, base: Math.max(singles ?? 0, base ?? 0), ttfts: ttfts ?? 0 }
}

/** Returns the number of runs that statistics read as rows, up to a limit. */
export async function countUncounted(q: Query, limit: number): Promise<number> {
  const { base } = await countedRuns(q)
  return (await runsAfter(q, { id: base, limit })).length
}

/** Returns false while roll-ups lack times to first token, after an upgrade. */
export const areTtftsComplete = ({ singles, ttfts }: Counted): boolean => singles >= ttfts

/** Maximum number of runs that one transaction adds. */
const maxRuns = 2000
/** Number of changed hours and days at which a transaction ends. Runs of the same hour share them. */
const maxChanges = 1500
/** The same limit for runs from before an upgrade. It keeps a transaction at about 50 ms of processor time. */
const maxUpgradeChanges = 400

/** `isEnd`: no runs are left. `isUpgrade`: the runs are from before an upgrade, so requests take precedence. */
export type AddedRuns = { readonly added: number; readonly isEnd: boolean; readonly isUpgrade: boolean }

/** Adds the next runs to the roll-ups. The runs after the last one are read as rows. */
export async function addRuns(q: Query): Promise<AddedRuns> {
  const counted = await countedRuns(q)
  const isUpgrade = counted.singles < counted.base
  const runs = await runsAfter(q, { id: counted.singles, limit: maxRuns })
  const added = await writeRuns(
    q,
    runs,
    (run) => {
      const singles = measuresOf(run, 1)
      if (run.id > counted.base) return { base: singles, singles }
      return { base: run.id > counted.ttfts ? null : ttftMeasuresOf(run), singles }
    },
    isUpgrade ? maxUpgradeChanges : maxChanges,
  )
  const last = runs[added - 1]
  if (last !== undefined) await setProgress(q, { value: last.id })
  return { added, isEnd: added === runs.length && added < maxRuns, isUpgrade }
}

/** Subtracts removed runs from the roll-ups, as far as these include them. */
export async function subtractRuns(q: Query, removed: readonly RunFacts[]): Promise<void> {
  const counted = await countedRuns(q)
  await writeRuns(
    q,
    removed.filter(({ id }) => id <= counted.base),
    (run) => {
      const measures = measuresOf(run, -1)
      if (run.id <= counted.singles) return { base: measures, singles: measures }
      const isInGap = run.id <= counted.ttfts
      return { base: isInGap ? measuresOf({ ...run, ttft_us: null }, -1) : measures, singles: null }
    },
  )
}

type Measure = (run: RunFacts) => {
  readonly base: RollupMeasures | null
  readonly singles: RollupMeasures | null
}

/** Adds measures of runs until there are too many changes. Returns the number of runs. */
async function writeRuns(
  q: Query,
  runs: readonly RunFacts[],
  measure: Measure,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  const [hours, days, months]: [Deltas, Deltas, Deltas] = [new Map(), new Map(), new Map()]
  const yieldIfDue = createYield()
  let count = 0
  for (const run of runs) {
    if (hours.size + days.size >= limit) break
    const { base, singles } = measure(run)
    if (base !== null) countBase(hours, days, run, base)
    if (singles !== null) countSingles(hours, days, run, singles)
    count += 1
    await yieldIfDue()
  }
  addToTier(hours, days, tiers.day)
  await yieldIfDue()
  addToTier(days, months, tiers.month)
  for (const deltas of [hours, days, months]) await writeDeltas(q, deltas, yieldIfDue)
  return count
}
