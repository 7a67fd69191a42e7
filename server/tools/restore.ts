import { join } from 'node:path'
import { ConfigError, readConfig } from '../config.ts'
import { StoreError } from '../db/errors.ts'
import { restoreBackup } from '../db/restore.ts'
import { createLogger } from '../lib/logger.ts'

/** `npm run restore -- <file>`: puts a backup in the place of the data. The service must be stopped. */
async function main(): Promise<void> {
  const [file, ...rest] = process.argv.slice(2)
  if (file === undefined || rest.length > 0 || file.startsWith('-')) {
    throw new ConfigError('Usage: npm run restore -- <file>   (DATA_DIR names the data folder)')
  }
  const config = readConfig(process.env)
  const restored = await restoreBackup({
    folder: join(config.dataDir, 'store'),
    file,
    logger: createLogger({ logLevel: 'error' }),
  })
  process.stdout.write(
    [
      `Restored ${file} (${restored.sizeBytes} bytes) into ${config.dataDir}.`,
      `What was there before is kept in ${restored.replaced}.`,
      'The next start records the restore in the audit log.',
      '',
    ].join('\n'),
  )
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof StoreError
  const reason = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error)
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
})
