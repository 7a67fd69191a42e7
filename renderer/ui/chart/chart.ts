/** What a chart is made of; the features say what it means. */

export type Value = number | null

/** `bad` for what failed; else greys from the strongest to the lightest, and the accent for what stands out. */
export type Tone = 'bad' | 'strong' | 'middle' | 'light'

export type Series = {
  readonly key: string
  readonly label: string
  readonly tone: Tone
  /** One per bucket; null where there is nothing to show, which is a gap and not a zero. */
  readonly values: readonly Value[]
}

/** One panel over the shared time axis. */
export type Plot = {
  readonly key: string
  readonly title: string
  /** Bars stand on each other, the first series lowest; lines cross. */
  readonly shape: 'bars' | 'lines'
  /** In pixels. */
  readonly height: number
  /** Its values are counted, so half of its axis has to be a whole number too. */
  readonly isCount?: boolean
  readonly series: readonly Series[]
  /** Which line the axis is made for; another may leave the panel at its top, so that one outlier flattens nothing. */
  readonly lead?: string
  /** The same in the period before: of all bars together, or of the line that matters. */
  readonly before?: readonly Value[] | undefined
  readonly format: (value: Value) => string
  /** For the axis, where room is short. */
  readonly formatShort: (value: number) => string
}

export type MarkerKind = 'publish' | 'rollback' | 'role' | 'denied'

/** Something that happened, on the time axis. */
export type Marker = {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: MarkerKind
  readonly label: string
}

/** Markers that stand too close to be told apart, and the time they cover. */
export type MarkerGroup = {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly markers: readonly Marker[]
}

const roundFactors = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]

/** The next number that reads well and whose half does too. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = roundFactors.find((one) => one * power >= value) ?? 10
  return Number((factor * power).toPrecision(3))
}

const sumAt = (series: readonly Series[], index: number): number =>
  series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)

/** How much higher than the leading line the axis goes, to show what is just above it. */
const aboveLead = 2.5
const highest = (values: readonly Value[]): number =>
  values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)

/** Where a panel's axis ends; null when there is nothing to draw. */
export function topOf({ shape, series, before, lead, isCount = false }: Plot): number | null {
  const count = series[0]?.values.length ?? 0
  let top = 0
  for (let index = 0; index < count; index += 1) {
    if (shape === 'bars') top = Math.max(top, sumAt(series, index))
    else for (const { values } of series) top = Math.max(top, values[index] ?? 0)
  }
  const leading = series.find(({ key }) => key === lead)
  if (leading !== undefined) top = Math.min(top, aboveLead * highest(leading.values))
  const most = Math.max(top, highest(before ?? []))
  if (most === 0) return null
  const end = roundUp(most)
  return isCount && end % 2 !== 0 ? Math.ceil(end / 2) * 2 : end
}

/** The stretches of a line without gaps, as `[first index, values]`. */
export function runsOf(values: readonly Value[]): readonly (readonly [number, readonly number[]])[] {
  const runs: [number, number[]][] = []
  let open: number[] | undefined
  for (const [index, value] of values.entries()) {
    if (value === null) open = undefined
    else if (open === undefined) {
      open = [value]
      runs.push([index, open])
    } else open.push(value)
  }
  return runs
}

/** What a panel says at one bucket: "ok 118, error 2". */
export const saidAt = (plot: Plot, index: number): string =>
  plot.series.map(({ label, values }) => `${label} ${plot.format(values[index] ?? null)}`).join(', ')
