import { join } from 'node:path'
import { type Migration, sqliteStatements } from '../../migrations/migration.ts'
import { newestVersion, refuseNewerSchema } from '../../migrations/version.ts'
import { fileStamp } from './format/folder.ts'
import type { Fence } from './lock/fence.ts'
import { stampTransaction, writeVerified } from './snapshot/snapshot.ts'
import type { Engine } from './sqlite/engine.ts'
import { readNumber } from './sqlite/memory-database.ts'

/** Schema versions before and after a migration, and its backup file, if one was made. */
export type MigrationRun = { readonly from: number; readonly to: number; readonly backup: string | null }

/**
 * Applies the missing migrations, each as one transaction in the journal: after a crash the schema is the old
 * or the new one. A store that is not new is backed up first.
 */
export async function migrate(options: {
  readonly engine: Engine
  readonly folder: string
  readonly migrations: readonly Migration[]
  readonly transaction: number
  readonly isNew: boolean
  readonly now: Date
  readonly fence: Fence
  /** Runs statements as one durable transaction. */
  readonly apply: (statements: readonly string[]) => Promise<void>
}): Promise<MigrationRun> {
  const { engine, folder, migrations } = options
  const from = readNumber(engine.database.connection, 'user_version')
  const to = newestVersion(migrations)
  refuseNewerSchema(from, migrations, folder)
  if (from === to) return { from, to, backup: null }

  const backup = options.isNew ? null : join(folder, `before-schema-${to}-${fileStamp(options.now)}.db`)
  if (backup !== null) {
    stampTransaction(engine.database, options.transaction)
    writeVerified(backup, engine.database.bytes(), options.fence)
  }
  for (const migration of migrations.slice(from)) {
    // The number is in the file's header, and is rolled back with the transaction.
    await options.apply([...sqliteStatements(migration), `PRAGMA user_version = ${migration.version}`])
  }
  return { from, to, backup }
}
