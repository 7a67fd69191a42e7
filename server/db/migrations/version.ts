import { StoreError } from '../errors.ts'
import type { Migration } from './migration.ts'

/**
 * Returns the schema version of this program. Throws if the list of migrations has a gap or is out of order.
 */
export function newestVersion(migrations: readonly Migration[]): number {
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) {
      throw new Error(`migration ${migration.version} (${migration.name}) is number ${index + 1} in the list`)
    }
  })
  return migrations.length
}

/** Throws a `StoreError` if the schema is newer than the newest migration. */
export function refuseNewerSchema(found: number, migrations: readonly Migration[], file: string): void {
  const known = newestVersion(migrations)
  if (found <= known) return
  throw new StoreError(
    'newer_schema',
    `${file} was written by a newer version of Promptdeck (schema ${found}; this version supports up to ${known}). Update Promptdeck, or restore an older backup.`,
  )
}
