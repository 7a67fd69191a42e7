import { syncIdentity } from '../dialect/identity.ts'
import { insertRows } from '../dialect/insert-rows.ts'
import { ensurePartition, isIn, partitionsOf, periodOf } from '../dialect/partitions.ts'
import { StoreError } from '../errors.ts'
import type { Db, PartitionUnit, Query } from '../types.ts'
import type { Row } from '../values.ts'
import { fingerprintOf, isUnused, markerKey, readMarker } from './marker.ts'
import { createPageSize, type Key, keyOf, lastKey, readPage } from './rows.ts'
import type { CopiedTable } from './tables.ts'

export type Copy = {
  readonly source: Query
  readonly target: Db
  readonly tables: readonly CopiedTable[]
  /** Size of the partitions of the run log in the target. */
  readonly partitionBy: PartitionUnit
  readonly signal: AbortSignal
  /** Receives the number of rows that were copied or compared since the last call. */
  readonly onRows: (count: number) => void
}

/**
 * Prepares the target: deletes the rows that its migrations inserted, or continues a copy of the source with this
 * `fingerprint`. Returns `finished` if only the comparison is left. Throws a `StoreError` if the target has other data.
 */
export async function beginCopy(
  target: Db,
  tables: readonly CopiedTable[],
  { identity, fingerprint }: { readonly identity: string; readonly fingerprint: number },
): Promise<'new' | 'continued' | 'finished'> {
  const marker = await readMarker(target.read)
  if (marker === fingerprint) return 'continued'
  if (marker !== null) {
    throw new StoreError(
      'incomplete',
      'The target has an unfinished copy of another source, of an earlier state of this one, or by another version of Promptdeck. Choose an empty target.',
    )
  }
  // A process that was killed after it removed the marker did not report the result.
  if ((await fingerprintOf(target.read, identity)) === fingerprint) return 'finished'
  if (!(await isUnused(target.read)))
    throw new StoreError('not_a_store', 'The target has data already. Choose an empty target.')
  await target.write(async ({ q }) => {
    for (const { name } of tables.toReversed()) await q.deleteFrom(name as 'meta').execute()
    await q.insertInto('meta').values({ key: markerKey, value: fingerprint }).execute()
  })
  return 'new'
}

/** Copies the rows that the target lacks, page by page in the order of the keys. */
export async function copyTables(copy: Copy): Promise<void> {
  for (const table of copy.tables) await copyTable(copy, table)
}

async function copyTable(copy: Copy, table: CopiedTable): Promise<void> {
  const { source, target, signal, onRows } = copy
  const size = createPageSize()
  // Pages are written in order, so the target has every row up to its highest key.
  let after: Key | null = table.hasTriggers ? null : await lastKey(target.read, table)
  let writing: Promise<void> = Promise.resolve()
  for (;;) {
    const page = await readPage(source, table, after, size.rows())
    await writing
    signal.throwIfAborted()
    const last = page.at(-1)
    if (last === undefined) break
    after = keyOf(table, last)
    size.note(page)
    // The next page is read meanwhile.
    writing = writePage(copy, table, page).then(() => onRows(page.length))
    // A failure is thrown where it is awaited.
    writing.catch(() => {})
  }
  await target.write(({ q }) => syncIdentity(q, table))
}

const writePage = (copy: Copy, table: CopiedTable, page: readonly Row[]): Promise<void> =>
  copy.target.write(
    async ({ q }) => {
      if (table.name === 'runs') await ensurePartitions(q, page, copy.partitionBy)
      await insertRows(q, table, page, { replace: table.hasTriggers })
    },
    { isLong: true },
  )

/** Creates the partitions that the runs of a page need. */
async function ensurePartitions(q: Query, page: readonly Row[], unit: PartitionUnit): Promise<void> {
  let known = await partitionsOf(q)
  for (const { created_at } of page) {
    const at = Number(created_at)
    if (known.some((partition) => isIn(partition, at))) continue
    const added = await ensurePartition(q, at, periodOf(unit, at))
    if (added === null) return
    known = [...known, added]
  }
}
