import type { ChainReport } from '../../../contract/system/audit.ts'
import { type Compared, compareTable } from '../../db/copy/compare-tables.ts'
import { beginCopy, copyTables } from '../../db/copy/copy-tables.ts'
import { removeMarker } from '../../db/copy/marker.ts'
import { countRows } from '../../db/copy/rows.ts'
import { type CopiedTable, tablesOf } from '../../db/copy/tables.ts'
import { StoreError } from '../../db/errors.ts'
import type { Db, PartitionUnit, Query, StoreLogger } from '../../db/types.ts'
import { dayFileName } from '../../features/runs/payloads/day-files.ts'
import { readChainKeys } from '../../history/chain/chain-key.ts'
import { readHead } from '../../history/chain/head-file.ts'
import { verifyChain } from '../../history/verify/verify.ts'
import { UsageError } from '../command/io/failure.ts'
import { copyFiles, copyHead } from './files.ts'
import { payloadDaysOf, writePayloadFiles } from './payloads.ts'
import { nameOf, type Place } from './place.ts'
import { openSource, type Source } from './source.ts'
import { openTarget } from './target.ts'

export type CopyOptions = {
  readonly from: Place
  readonly to: Place
  /**
   * The data folder that belongs to the database. If the database is the source: the folder with its keys and payloads.
   * If it is the target: a new folder for them, or null if the service continues to use the folder of the source.
   */
  readonly files: string | null
  /** Size of the partitions of the run log in a database. */
  readonly partitionBy: PartitionUnit
  readonly logger: StoreLogger
  readonly signal: AbortSignal
  readonly progress: Progress
}

/** Receives the progress of each phase. */
export type Progress = {
  begin(phase: 'copying' | 'comparing', rows: number): void
  add(rows: number): void
  end(): void
}

export type CopyReport = {
  /** True if it continued or only compared an earlier copy. */
  readonly isContinued: boolean
  readonly tables: readonly Compared[]
  readonly chain: ChainReport
  /** Number of files with keys and payloads; null if they stay where they are. */
  readonly files: number | null
}

/** Copies a store to another engine and compares both. An interrupted copy continues when it runs again. */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { from, to, logger } = options
  const folders = foldersOf(options)
  const source = await openSource(from, logger)
  try {
    await source.requireUnused()
    const target = await openTarget(to, logger)
    try {
      return await copyAll(options, source, target, folders)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

type Folders = { readonly from: string; readonly to: string | null }

function foldersOf({ from, to, files }: CopyOptions): Folders {
  if (from.kind === 'folder' && to.kind === 'database') return { from: from.folder, to: files }
  if (from.kind === 'database' && to.kind === 'folder') {
    if (files !== null) return { from: files, to: to.folder }
    throw new UsageError(
      'Name the data folder of the service on the database with --files: it has the keys and the captured inputs and outputs.',
    )
  }
  throw new UsageError(
    from.kind === 'folder'
      ? 'Both ends are data folders. Stop the service and copy the folder, or restore a backup.'
      : 'Both ends are databases. Use pg_dump and pg_restore.',
  )
}

async function copyAll(
  options: CopyOptions,
  source: Source,
  target: Db,
  folders: Folders,
): Promise<CopyReport> {
  const { signal, progress, partitionBy } = options
  const embedded = options.from.kind === 'folder' ? source.read : target.read
  const tables = await tablesOf(embedded)
  const state = await beginCopy(target, tables, source)
  const isContinued = state !== 'new'
  const files = folders.to === null ? null : await copyBeside(options, source.read, folders.from, folders.to)
  const total = await countAll(source.read, tables)
  const already = isContinued ? await countAll(target.read, tables) : 0
  const onRows = (count: number) => progress.add(count)

  progress.begin('copying', total)
  onRows(Math.min(already, total))
  if (state !== 'finished')
    await copyTables({ source: source.read, target, tables, partitionBy, signal, onRows })
  progress.end()
  progress.begin('comparing', total)
  const compared: Compared[] = []
  for (const table of tables) {
    const sides = { source: source.read, target: target.read, signal, onRows }
    const result = await compareTable(sides, table)
    if (result.difference !== null) throw differs(result, nameOf(options.to))
    compared.push(result)
  }
  progress.end()
  await source.requireUnused()
  const chain = await verifyChain({
    q: target.read,
    keys: await readChainKeys(folders.from),
    head: () => readHead(folders.from),
    now: new Date(),
  })
  if (folders.to !== null) await copyHead(folders.from, folders.to)
  await removeMarker(target)
  return { isContinued, tables: compared, chain, files }
}

/** Copies what is beside the store: keys and captured texts. Returns the number of copied files. */
async function copyBeside(
  { from: { kind }, signal }: CopyOptions,
  q: Query,
  from: string,
  to: string,
): Promise<number> {
  const days = kind === 'database' ? await payloadDaysOf(q, from) : []
  // The database may have later texts of a day than the file that was put into it.
  const count = await copyFiles(from, to, new Set(days.map(dayFileName)), signal)
  await writePayloadFiles(q, days, to, signal)
  return count
}

function differs({ table, difference }: Compared, target: string): StoreError {
  return new StoreError(
    'damaged',
    `The copy in ${target} differs from the source: table ${table}, row ${difference}. The source changed since the copy began, or something else wrote to the target. Empty the target and copy again.`,
  )
}

async function countAll(q: Query, tables: readonly CopiedTable[]): Promise<number> {
  let count = 0
  for (const table of tables) count += await countRows(q, table)
  return count
}
