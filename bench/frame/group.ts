import type { Figure } from './figure.ts'
import type { Process, Processes } from './processes.ts'

/** The tools with which a group measures. */
export type Bench = {
  readonly isQuick: boolean
  /** True to measure growth up to 3 M runs, too. */
  readonly isLarge: boolean
  /** Number of rounds: five, or three if `isQuick`. In each round, a figure and what it is compared with are measured. */
  readonly rounds: number
  readonly processes: Processes
  readonly add: (figure: Figure) => void
  /** Prints a sentence, for example the reason why something is not measured. */
  readonly note: (text: string) => void
  /** Folder that contains Lighthouse; null to measure without it. */
  readonly lighthouse: string | null
  /** With `--profile`, does the work and writes a flame graph of the process during it. Otherwise does nothing. */
  readonly profiled: (target: Process, name: string, work: () => Promise<unknown>) => Promise<void>
}

export type Group = {
  readonly name: string
  readonly measure: (bench: Bench) => Promise<void>
}

export const roundsOf = ({ rounds }: Bench): number[] => Array.from({ length: rounds }, (_, round) => round)

/** Returns the items in their order, reversed in every second round, so that none always comes first. */
export const alternating = <T>(round: number, items: readonly T[]): readonly T[] =>
  round % 2 === 0 ? items : items.toReversed()
