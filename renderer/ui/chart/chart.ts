/** Types and helpers of charts. The features supply the meaning. */

export type Value = number | null

/** Colours of groups, in their order. */
export const groupTones = ['group1', 'group2', 'group3', 'group4', 'group5'] as const
/**
 * `bad` for failures, greys from the strongest to the lightest, or the colour of a group or a line. Lines also
 * have a dash each.
 */
export type Tone =
  | 'bad'
  | 'strong'
  | 'middle'
  | 'light'
  | 'line1'
  | 'line2'
  | 'line3'
  | (typeof groupTones)[number]

export type Series = {
  readonly key: string
  readonly label: string
  readonly tone: Tone
  /** One value per bucket; null is a gap, not a zero. */
  readonly values: readonly Value[]
}

/** One panel over the shared time axis. */
export type Plot = {
  readonly key: string
  readonly title: string
  /** Bars are stacked, the first series lowest. Lines are drawn over each other. */
  readonly shape: 'bars' | 'lines'
  /** In pixels. */
  readonly height: number
  /** True for counts: half of the axis must then be a whole number too. */
  readonly isCount?: boolean
  readonly series: readonly Series[]
  /**
   * Key of the line that determines the axis. Others may leave the panel at its top, so that one outlier does
   * not flatten the rest.
   */
  readonly leadKey?: string
  /** Values of the previous period: of all bars together, or of one line. */
  readonly before?: readonly Value[] | undefined
  readonly format: (value: Value) => string
  /** Short format for the axis. */
  readonly formatShort: (value: number) => string
}

export type MarkerKind = 'publish' | 'rollback' | 'role' | 'denied'

/** An event on the time axis. */
export type Marker = {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: MarkerKind
  readonly label: string
}

/** Markers too close to be shown apart, and the time they cover. */
export type MarkerGroup = {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly markers: readonly Marker[]
}

/** Space above the highest value in pixels, so that its line is not cut. */
export const topPadding = 2
/** Lowest height of a bar in pixels, so that small values are visible. */
const minBar = 1.5

/** Returns the height of a bar, in pixels. */
export const barHeight = (plot: Pick<Plot, 'height'>, top: number, value: Value | undefined): number =>
  value === null || value === undefined || value <= 0
    ? 0
    : Math.max(minBar, (value / top) * (plot.height - topPadding))

/** Distance in pixels at which a thin segment of failures is still hit. */
const hitTolerance = 4

/** Returns the series whose segment of a stacked bar is at this height above the axis; undefined: none. */
export function segmentAt(plot: Plot, index: number, above: number): Series | undefined {
  const top = topOf(plot)
  if (plot.shape !== 'bars' || top === null) return undefined
  let low = 0
  const segments = plot.series.map((series) => {
    const height = barHeight(plot, top, series.values[index])
    const tolerance = series.tone === 'bad' && height > 0 ? hitTolerance : 0
    const segment = { series, from: low - tolerance, to: low + height + tolerance }
    low += height
    return segment
  })
  // Failures are the topmost series, and win where tolerances overlap.
  return segments.findLast(({ from, to }) => to > from && above >= from && above < to)?.series
}

const roundFactors = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]

/** Returns the next round number whose half is round too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = roundFactors.find((candidate) => candidate * power >= value) ?? 10
  return Number((factor * power).toPrecision(3))
}

const sumAt = (series: readonly Series[], index: number): number =>
  series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)

/** Limit of the axis, as a multiple of the highest value of the leading line. */
const aboveLead = 2.5
const highest = (values: readonly Value[]): number =>
  values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)

/** Returns the end of a panel's axis; null if there is nothing to draw. */
export function topOf({ shape, series, before, leadKey, isCount = false }: Plot): number | null {
  const count = series[0]?.values.length ?? 0
  let top = 0
  for (let index = 0; index < count; index += 1) {
    if (shape === 'bars') top = Math.max(top, sumAt(series, index))
    else for (const { values } of series) top = Math.max(top, values[index] ?? 0)
  }
  const leading = series.find(({ key }) => key === leadKey)
  if (leading !== undefined) top = Math.min(top, aboveLead * highest(leading.values))
  const maxValue = Math.max(top, highest(before ?? []))
  if (maxValue === 0) return null
  const end = roundUp(maxValue)
  return isCount && end % 2 !== 0 ? Math.ceil(end / 2) * 2 : end
}

/** Returns the parts of a line without gaps, as `[first index, values]`. */
export function segmentsOf(values: readonly Value[]): readonly (readonly [number, readonly number[]])[] {
  const segments: [number, number[]][] = []
  let current: number[] | undefined
  for (const [index, value] of values.entries()) {
    if (value === null) current = undefined
    else if (current === undefined) {
      current = [value]
      segments.push([index, current])
    } else current.push(value)
  }
  return segments
}

/** Returns a panel's values at one bucket as text: "ok 118, error 2". */
export const valueTextAt = (plot: Plot, index: number): string =>
  plot.series.map(({ label, values }) => `${label} ${plot.format(values[index] ?? null)}`).join(', ')
