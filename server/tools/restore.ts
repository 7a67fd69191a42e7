import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { restoreBackup } from '../db/engines/sqljs/recovery/restore.ts'
import { createLogger } from '../lib/logger.ts'
import { readToolArguments, requireDataFolder, runTool } from './lib/arguments.ts'

const usage = 'Usage: npm run restore -- [--data <data folder>] <file>   (default data folder: DATA_DIR)'

function describeLost(lost: readonly string[] | null): string[] {
  if (lost === null) return ['The previous data could not be read, so lost data cannot be counted.']
  if (lost.length === 0) return ['The backup contains all previous data.']
  return ['Lost compared with the previous data:', ...lost.map((line) => `  ${line}`)]
}

/** `npm run restore -- <file>`: replaces the data with a backup. The service must be stopped. */
async function main(args: readonly string[]): Promise<void> {
  const { dataDir, rest } = readToolArguments(args, [], usage)
  requireDataFolder('Restore it with pg_restore.')
  const [file, ...more] = rest
  if (!file || more.length > 0) throw new ConfigError(usage)
  const restored = await restoreBackup({
    folder: join(dataDir, 'store'),
    dataDir,
    file,
    backups: join(dataDir, 'backups'),
    logger: createLogger({ logLevel: 'error' }),
  })
  process.stdout.write(
    [
      `Restored ${file} (${restored.sizeBytes} bytes) into ${dataDir}.`,
      restored.isVerified
        ? 'Its SHA-256 matches the recorded one.'
        : 'No checksum is recorded for it. Its structure was checked, but its content could not be compared.',
      ...describeLost(restored.lost),
      `The previous data was moved to ${restored.replaced}.`,
      'The next start records the restore in the audit log.',
      '',
    ].join('\n'),
  )
}

await runTool(main)
