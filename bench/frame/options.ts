import { parseArgs } from 'node:util'

export type Options = {
  /** Names of the groups to run; null for all. */
  readonly only: readonly string[] | null
  /** Fewer rounds, shorter bursts and less data: at most 5 minutes for everything. */
  readonly isQuick: boolean
  /** Also measures growth at 3 M runs, which takes longer than all groups without it (an hour). */
  readonly isLarge: boolean
  /** Path of earlier results to compare with. */
  readonly compareWith: string | null
  readonly profiles: boolean
  /** Folder that contains Lighthouse; null to measure without it. */
  readonly lighthouse: string | null
}

/** Parses the command line. Throws if it has an unknown option or group. */
export function readOptions(args: readonly string[], groups: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      compare: { type: 'string' },
      profile: { type: 'boolean', default: false },
      lighthouse: { type: 'string' },
    },
  })
  const only = values.only?.flatMap((names) => names.split(',')) ?? null
  const unknown = only?.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new Error(`No group is called "${unknown}". Groups: ${groups.join(', ')}.`)
  return {
    only,
    isQuick: values.quick,
    isLarge: values.large,
    compareWith: values.compare ?? null,
    profiles: values.profile,
    lighthouse: values.lighthouse ?? null,
  }
}
