import type { PromptVersion } from '../../../contract/prompt-versions.ts'
import type { RunStats } from '../../../contract/run-stats.ts'

/** From and to in epoch milliseconds. */
export type RunSpan = { readonly from: number; readonly to: number }

const steps = { hour: 3_600_000, day: 86_400_000 } as const

type Bar = { readonly start: number; readonly count: number; readonly error: number }

/** A bar for every step of the span: where nothing ran stands a zero, not a gap. */
export function placeBars(
  series: RunStats['series'],
  span: RunSpan,
  interval: RunStats['interval'],
): readonly Bar[] {
  const known = new Map(series.map(({ start, count, error }) => [Date.parse(start), { count, error }]))
  // Months are of no one length, and minutes come only where the service says so: its own points stand alone then.
  const step = interval === 'hour' || interval === 'day' ? steps[interval] : null
  if (step === null) return [...known].map(([start, one]) => ({ start, ...one }))
  const bars: Bar[] = []
  for (let start = Math.floor(span.from / step) * step; start < span.to; start += step) {
    bars.push({ start, ...(known.get(start) ?? { count: 0, error: 0 }) })
  }
  return bars
}

type Mark = {
  /** Between 0 and 1, from the left. */
  readonly at: number
  readonly version: PromptVersion
  /** What was served before it, and before those that came right before it; undefined for the first. */
  readonly previous: string | undefined
  /** How many came right before it: a mark of their own would lie on this one. */
  readonly others: number
}

/** Marks closer than this share of the width are one. */
const closest = 0.045

/** Where versions came into service within the span. `versions` are newest first. */
export function placeMarks(versions: readonly PromptVersion[], { from, to }: RunSpan): readonly Mark[] {
  const marks: Mark[] = []
  for (const [index, version] of versions.entries()) {
    const at = (Date.parse(version.created_at) - from) / (to - from)
    if (at < 0 || at > 1) continue
    const previous = versions[index + 1]?.version
    const last = marks.at(-1)
    if (last !== undefined && last.at - at < closest) {
      marks[marks.length - 1] = { ...last, previous: previous ?? version.version, others: last.others + 1 }
    } else marks.push({ at, version, previous, others: 0 })
  }
  return marks
}
