import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { Run } from '../../../../contract/runs/run.ts'
import type { Db } from '../../../db/types.ts'
import type { ContentSearch } from '../content/content-search.ts'
import type { Payloads } from '../payloads/payload-files.ts'
import type { StatsReader } from '../statistics/statistics.read.ts'
import type { NameDictionary } from '../store/names.store.ts'
import type { ListedRun } from '../store/runs.store.ts'
import { nameIdsOf, runToWire } from '../store/runs.wire.ts'

/** Dependencies of the functions that read the run log. */
export type ReaderDeps = {
  readonly db: Db
  readonly names: NameDictionary
  readonly stats: StatsReader
  readonly payloads: Payloads
  readonly content: ContentSearch
  /** Returns the setting of the service for capture. */
  readonly capture: () => CaptureMode
}

/** Converts rows of a list. */
export async function toWire(
  { db, names }: Pick<ReaderDeps, 'db' | 'names'>,
  rows: readonly ListedRun[],
): Promise<Run[]> {
  const nameOf = await names.loadTexts(db.read, nameIdsOf(rows))
  return rows.map((row) => runToWire(row, nameOf))
}
