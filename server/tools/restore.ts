import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { restoreBackup } from '../db/engines/sqljs/recovery/restore.ts'
import { createLogger } from '../lib/logger.ts'
import { readToolArguments, runTool } from './lib/arguments.ts'

const usage = 'Usage: npm run restore -- [--data <data folder>] <file>   (DATA_DIR unless a folder is given)'

function describeLost(lost: readonly string[] | null): string[] {
  if (lost === null) return ['What was there before could not be read, so what is lost cannot be counted.']
  if (lost.length === 0) return ['The backup holds everything that was there before.']
  return ['Lost compared with what was there before:', ...lost.map((line) => `  ${line}`)]
}

/** `npm run restore -- <file>`: replaces the data with a backup. The service must be stopped. */
async function main(args: readonly string[]): Promise<void> {
  const { dataDir, rest } = readToolArguments(args, [], usage)
  const [file, ...more] = rest
  if (file === undefined || more.length > 0) throw new ConfigError(usage)
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
        ? 'Its SHA-256 is the one recorded when it was made.'
        : 'No checksum is recorded beside it: its structure was checked, its content could not be compared.',
      ...describeLost(restored.lost),
      `What was there before is kept in ${restored.replaced}.`,
      'The next start records the restore in the audit log.',
      '',
    ].join('\n'),
  )
}

runTool(main)
