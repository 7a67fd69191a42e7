import { join } from 'node:path'
import { existsSync } from '../../../../disk/fs.ts'
import { StoreError } from '../../../errors.ts'
import { recordName } from '../record/record-file.ts'
import { newestVerifiedBackup } from './newest-backup.ts'

/** Returns the commands with which the user can continue, ready to copy. */
function recoveryAdvice(dataDir: string): string {
  const recover = `\`npm run recover -- --data "${dataDir}"\` shows what can be kept and what would be lost; with --apply it recovers the data and moves the other files aside`
  const backup = newestVerifiedBackup(dataDir)
  const restore =
    backup === null
      ? 'There is no verified backup in this data folder; `npm run restore -- --data "<data folder>" <file>` restores one from elsewhere.'
      : `The newest verified backup was made at ${backup.createdAt.toISOString()}: \`npm run restore -- --data "${dataDir}" "${backup.file}"\` goes back to it.`
  const database = existsSync(join(dataDir, recordName))
    ? ''
    : ' If this service stores its data in PostgreSQL, set DATABASE_URL.'
  return `Nothing was changed.${database} Copy the data folder to a safe place first. ${recover}. ${restore} Neither deletes anything.`
}

/** Adds recovery advice to the error of a refused start. Returns other errors unchanged. */
export function withAdvice(
  error: unknown,
  { folder, dataDir }: { readonly folder: string; readonly dataDir?: string },
): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.code !== 'damaged' && error.code !== 'incomplete') return error
  return new StoreError(error.code, `${error.message} ${recoveryAdvice(dataDir ?? folder)}`, {
    cause: error.cause,
  })
}
