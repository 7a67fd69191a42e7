import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { type RecoveryReport, recoverStore } from '../db/engines/sqljs/recovery/recover-store.ts'
import { describeLoss } from '../db/engines/sqljs/recovery/summary.ts'
import { migrations } from '../db/migrations/index.ts'
import { knownAuditEntry } from '../history/chain/known-entry.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger } from '../lib/logger.ts'
import { messageOf } from '../lib/text/message-of.ts'
import { readToolArguments, requireData, requireDataFolder, runTool } from './lib/arguments.ts'

const usage = `Usage: npm run recover [-- --data <data folder>] [--apply]
Recovers the longest valid history of a store that cannot be opened, moves the other files aside and lists what is lost.
Without --apply, it only shows what it would do. The service must be stopped.`

/** Returns the description of the loss, in lines. */
function lossOf(report: RecoveryReport): string[] {
  const { kept, knownTransaction, writtenAt } = report
  const known = {
    ...kept,
    transaction: knownTransaction,
    auditEntry: report.knownAuditEntry,
    changedAt: writtenAt ?? kept.changedAt,
  }
  const lost = describeLoss(kept, known)
  return lost.length === 0
    ? ['No lost transaction was found. The number of transactions after the last recovered one is unknown.']
    : ['Lost, at least:', ...lost.map((line) => `  ${line}`)]
}

function describe(report: RecoveryReport, dataDir: string): string[] {
  const { problems, kept, unusable, setAside } = report
  if (problems.length === 0)
    return [`The store in ${dataDir} opens with all its data. There is nothing to recover.`]
  const newest = kept.changedAt === null ? '' : `, the newest change of ${kept.changedAt}`
  const lines = [
    'The store cannot be opened:',
    ...problems.map((problem) => `  ${problem}`),
    `${setAside === null ? 'Recoverable' : 'Recovered'}: all data up to transaction ${kept.transaction}${newest}.`,
    ...lossOf(report),
    ...(unusable.length === 0 ? [] : ['Files with data that cannot be recovered:']),
    ...unusable.map((line) => `  ${line}`),
  ]
  if (setAside === null) {
    lines.push(
      'Nothing was changed. Add --apply to recover the store. A verified backup may contain more data; compare the times.',
    )
  } else {
    lines.push(`The old files are in ${setAside}.`, 'The next start records the recovery in the audit log.')
  }
  return lines
}

async function knownEntry(dataDir: string): Promise<number | null> {
  try {
    return await knownAuditEntry(dataDir)
  } catch (error) {
    process.stderr.write(`The audit log could not be compared with its head: ${messageOf(error)}\n`)
    return null
  }
}

/** `npm run recover`: repairs a store with which the service refuses to start. */
async function main(args: readonly string[]): Promise<void> {
  const { dataDir, flags, rest } = readToolArguments(args, ['--apply'], usage)
  requireDataFolder('PostgreSQL recovers by itself.')
  if (rest.length > 0) throw new ConfigError(usage)
  requireData(dataDir)
  const report = await recoverStore({
    folder: join(dataDir, 'store'),
    dataDir,
    knownAuditEntry: await knownEntry(dataDir),
    apply: flags.has('--apply'),
    logger: createLogger({ logLevel: 'error' }),
    clock: systemClock,
    migrations,
  })
  process.stdout.write(`${describe(report, dataDir).join('\n')}\n`)
}

await runTool(main)
