/** One measured quantity with a value per round, usually compared with a counterpart in the same round. */
export type Figure = {
  readonly name: string
  /** The counterpart measured in the same round, for example `bare Express`; else `ownClock`. */
  readonly against: string
  readonly unit: '%' | '×' | 'ms' | 's' | 'kB' | 'MB' | 'MB/s' | 'runs/s' | 'points'
  readonly better: 'higher' | 'lower'
  readonly values: readonly number[]
  /** The value to reach, in the same unit. */
  readonly goal?: number
  /** Absolute values of this machine, for orientation only. */
  readonly detail?: string
}

/** Returns the value at a share of the sorted values: 0.5 is the median. Throws if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('a quantile needs at least one value')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** The `against` of a figure that has no counterpart. */
export const ownClock = 'the clock of this machine'

/** Returns the ratios of each round, in percent of the base. */
export const percentOf = (base: readonly number[], values: readonly number[]): number[] =>
  ratios(base, values).map((ratio) => ratio * 100)

/** Returns the difference between each round and the base of the same round. */
export const differences = (base: readonly number[], values: readonly number[]): number[] =>
  values.map((value, round) => value - (base[round] ?? Number.NaN))

/** Returns the ratio of each round to the base of the same round. */
export const ratios = (base: readonly number[], values: readonly number[]): number[] =>
  values.map((value, round) => value / (base[round] ?? Number.NaN))

/** Returns true if the figure reaches its goal; null if it has none. */
function isReached({ goal, better, values }: Figure): boolean | null {
  if (goal === undefined) return null
  return better === 'higher' ? median(values) >= goal : median(values) <= goal
}

/** Formats a number with at most two decimals: fewer for larger numbers. */
export function digits(value: number): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

const withUnit = (value: number, unit: Figure['unit']): string => `${digits(value)} ${unit}`

export const showMedian = ({ values, unit }: Figure): string => withUnit(median(values), unit)

export const showSpread = ({ values }: Figure): string =>
  `${digits(Math.min(...values))} to ${digits(Math.max(...values))}`

export function showGoal(figure: Figure): string {
  const reached = isReached(figure)
  if (figure.goal === undefined || reached === null) return ''
  const bound = figure.better === 'higher' ? '≥' : '≤'
  return `${bound} ${withUnit(figure.goal, figure.unit)}: ${reached ? 'reached' : 'not reached'}`
}
