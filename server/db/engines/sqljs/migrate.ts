import { hash } from 'node:crypto'
import { join } from 'node:path'
import { digestFile } from '../../../disk/digest.ts'
import { readdirSync } from '../../../disk/fs.ts'
import { type Migration, sqliteStatements } from '../../migrations/migration.ts'
import { newestVersion, refuseNewerSchema } from '../../migrations/version.ts'
import { fileStamp } from './format/folder.ts'
import type { Fence } from './lock/fence.ts'
import { stampTransaction, writeVerified } from './snapshot/snapshot.ts'
import type { Engine } from './sqlite/engine.ts'
import { readNumber } from './sqlite/memory-database.ts'

/** Schema versions before and after a migration, and its backup file, if one was made. */
export type MigrationRun = { readonly from: number; readonly to: number; readonly backup: string | null }

type MigrateOptions = {
  readonly engine: Engine
  readonly folder: string
  readonly migrations: readonly Migration[]
  readonly transaction: number
  readonly isNew: boolean
  readonly now: Date
  readonly fence: Fence
  /** Runs statements as one durable transaction. */
  readonly apply: (statements: readonly string[]) => Promise<void>
}

/**
 * Applies the missing migrations, each as one transaction in the journal: after a crash the schema is the old
 * or the new one. A store that is not new is backed up first.
 */
export async function migrate(options: MigrateOptions): Promise<MigrationRun> {
  const { engine, folder, migrations } = options
  const from = readNumber(engine.database.connection, 'user_version')
  const to = newestVersion(migrations)
  refuseNewerSchema(from, migrations, folder)
  if (from === to) return { from, to, backup: null }

  const backup = options.isNew ? null : backUp(options, to)
  for (const migration of migrations.slice(from)) {
    // The number is in the file's header, and is rolled back with the transaction.
    await options.apply([...sqliteStatements(migration), `PRAGMA user_version = ${migration.version}`])
  }
  return { from, to, backup }
}

/**
 * Writes a backup of the store, and returns its path. An earlier start that did not finish may have written the same: starts
 * that fail again and again must not fill the disk.
 */
function backUp({ engine, folder, transaction, now, fence }: MigrateOptions, to: number): string {
  const { database } = engine
  stampTransaction(database, transaction)
  const bytes = database.bytes()
  const sha256 = hash('sha256', bytes, 'hex')
  const prefix = `before-schema-${to}-`
  const found = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.db'))
    .map((name) => join(folder, name))
    .find((file) => hasContent(file, sha256))
  if (found !== undefined) return found
  const file = join(folder, `${prefix}${fileStamp(now)}.db`)
  writeVerified(file, bytes, fence)
  return file
}

function hasContent(file: string, sha256: string): boolean {
  try {
    return digestFile(file).sha256 === sha256
  } catch {
    // A file that cannot be read is no backup.
    return false
  }
}
