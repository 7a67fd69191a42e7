import { messageOf } from '../../../../lib/text/message-of.ts'
import type { Migration } from '../../../migrations/migration.ts'
import { refuseNewerSchema } from '../../../migrations/version.ts'
import type { StoreLogger } from '../../../types.ts'
import { readFolder } from '../format/folder.ts'
import { createRecordGuard } from '../record/guard.ts'
import { loadSqlJs } from '../sqlite/sqljs.ts'
import { assessStore } from './assess.ts'
import { type StateSummary, summarize } from './summary.ts'

/** Summarizes the store that is about to be replaced. Returns null if it cannot be read. */
export async function presentState(
  folder: string,
  migrations: readonly Migration[],
  now: Date,
  logger: StoreLogger,
): Promise<StateSummary | null> {
  const { snapshots } = readFolder(folder)
  const guardOptions = { folder, dataDir: undefined, knownAuditEntry: null, restoredAt: null, now, logger }
  const guard = createRecordGuard(guardOptions)
  const checkSchema = (schema: number, file: string): void => refuseNewerSchema(schema, migrations, file)
  try {
    const assessment = assessStore({ sql: await loadSqlJs(), folder, guard, checkSchema })
    try {
      const isUnread = assessment.base === null && assessment.transaction === 0 && snapshots.length > 0
      return isUnread ? null : summarize(assessment.engine, assessment.transaction)
    } finally {
      assessment.engine.close()
    }
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'the store that is replaced cannot be read')
    return null
  }
}
