import { existsSync, readdirSync } from '../../../../disk/fs.ts'

/**
 * The folder of a store:
 *
 *     snapshot-00000007.db      a plain SQLite file; the number is its generation
 *     snapshot-00000007.json    its length, sha256 and the last transaction in it
 *     journal-00000012.log      a segment of the journal (format: segment.ts)
 *     run/                      the lock (lock/claims.ts)
 *     owner.json                the lock in the format of version 0.1
 *     restore.json              a restore or recovery in progress, or finished but not yet in the audit log
 *     store.json                the id of the store
 *     *.damaged-<time>          damaged files, never deleted by the service
 *     replaced-<time>/          the files that a restore replaced
 *     set-aside-<time>/         the files that a recovery could not use
 *     before-schema-<n>-….db    the backup made before a migration
 *     *.tmp                     unfinished; removed at start
 */
export const fileNames = {
  snapshot: (generation: number): string => `snapshot-${padded(generation)}.db`,
  sidecar: (generation: number): string => `snapshot-${padded(generation)}.json`,
  segment: (sequence: number): string => `journal-${padded(sequence)}.log`,
  owner: 'owner.json',
  restore: 'restore.json',
  identity: 'store.json',
} as const

export type FolderContent = {
  /** Generation numbers, newest first. */
  readonly snapshots: readonly number[]
  /** Sequence numbers, oldest first. */
  readonly segments: readonly number[]
  readonly temporary: readonly string[]
  /** Names of files and folders that prove that a store existed here. */
  readonly traces: readonly string[]
}

/** Lists the files of a store by kind. Unknown files are ignored, and a missing folder is empty. */
export function readFolder(folder: string): FolderContent {
  const snapshots: number[] = []
  const segments: number[] = []
  const temporary: string[] = []
  const traces: string[] = []
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const snapshot = /^snapshot-(\d{8,})\.db$/.exec(name)?.[1]
    const segment = /^journal-(\d{8,})\.log$/.exec(name)?.[1]
    if (snapshot !== undefined) snapshots.push(Number(snapshot))
    else if (segment !== undefined) segments.push(Number(segment))
    else if (/^(?:snapshot|journal|owner|restore|store|before-schema)\b.*\.tmp$/.test(name))
      temporary.push(name)
    else if (/^(?:snapshot|journal)-.*(?<!\.json)$|^(?:replaced|set-aside)-|^restore\.json$/.test(name))
      traces.push(name)
  }
  snapshots.sort((a, b) => b - a)
  segments.sort((a, b) => a - b)
  return { snapshots, segments, temporary, traces }
}

/** Returns the sequence number in the name of a segment file, or 0 if it has none. */
export function sequenceOf(file: string): number {
  return Number(/journal-(\d+)\.log$/.exec(file)?.[1] ?? 0)
}

/** Formats a time for file names on every system: 2026-01-31T12-00-00-000Z. */
export function fileStamp(time: Date): string {
  return time.toISOString().replaceAll(/[:.]/g, '-')
}

function padded(value: number): string {
  return String(value).padStart(8, '0')
}
