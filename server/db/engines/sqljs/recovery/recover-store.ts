import { join } from 'node:path'
import { syncFolder } from '../../../../disk/durable.ts'
import { existsSync, mkdirSync, readdirSync, renameSync } from '../../../../disk/fs.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import type { Migration } from '../../../migrations/migration.ts'
import { refuseNewerSchema } from '../../../migrations/version.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, fileStamp } from '../format/folder.ts'
import type { Fence } from '../lock/fence.ts'
import { acquireLock, refuseOwned } from '../lock/lock.ts'
import { createRecordGuard, newRecord } from '../record/guard.ts'
import { ensureStoreId } from '../record/identity.ts'
import { createRecord, readRecord } from '../record/record-file.ts'
import { writeSnapshot } from '../snapshot/snapshot.ts'
import { loadSqlJs } from '../sqlite/sqljs.ts'
import { type Assessment, assessStore } from './assess.ts'
import { takeInventory } from './inventory.ts'
import { finishRestore, newMarker, type RestoreMarker, readMarker, writeMarker } from './restore-marker.ts'
import { type StateSummary, summarize } from './summary.ts'

export type RecoveryReport = {
  /** Reasons why the store does not open. Empty if it opens and there is nothing to recover. */
  readonly problems: readonly string[]
  readonly kept: StateSummary
  /** The last transaction that existed according to the folder or the record. */
  readonly knownTransaction: number
  /** The newest audit entry known to have existed. */
  readonly knownAuditEntry: number
  /** Time of the last write to the journal; null without a journal. */
  readonly writtenAt: string | null
  /** Lines about files with content that cannot be kept. */
  readonly unusable: readonly string[]
  /** The folder that the old files were moved to; null in a dry run. */
  readonly setAside: string | null
}

export type RecoverOptions = {
  readonly folder: string
  readonly dataDir: string
  /** The newest audit entry proven outside the store, or null. */
  readonly knownAuditEntry: number | null
  /** False for a dry run, which reports what would be kept and lost. */
  readonly apply: boolean
  readonly logger: StoreLogger
  readonly clock: Clock
  readonly migrations: readonly Migration[]
}

/**
 * Writes the longest provable history of a damaged or incomplete store as a new verified snapshot. Throws if
 * a service owns the folder. Moves everything else aside and deletes nothing. The next start records the
 * recovery in the audit log.
 */
export async function recoverStore(options: RecoverOptions): Promise<RecoveryReport> {
  const { folder } = options
  try {
    if (!options.apply) {
      // No lock is taken, because that changes the folder.
      const refuseOwner = async (): Promise<void> => {
        if (existsSync(folder)) await refuseOwned(folder)
      }
      await refuseOwner()
      const report = await recover(options, null)
      // A process that started meanwhile may have changed the files between two reads.
      await refuseOwner()
      return report
    }
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    return await withLock(options, (fence) => recover(options, fence))
  } catch (error) {
    if (error instanceof StoreError) throw error
    const message = `The recovery was not completed: ${messageOf(error)}. Nothing was deleted. Correct the cause and run it again. If a file remains unreadable, move it away first; its content is then lost.`
    throw new StoreError('unreadable', message, { cause: error })
  }
}

/** Runs `work` while this process owns the folder. */
async function withLock<T>(
  { folder, logger }: RecoverOptions,
  work: (fence: Fence) => Promise<T>,
): Promise<T> {
  const lock = await acquireLock(folder, logger)
  try {
    return await work(lock.fence)
  } finally {
    // A failed release is only logged, because it would hide the result. The lock ends with the process.
    await lock
      .release()
      .catch((reason: unknown) =>
        logger.warn({ reason: messageOf(reason) }, 'the lock of the store was released incompletely'),
      )
  }
}

/** `fence`: null for a dry run. */
async function recover(options: RecoverOptions, fence: Fence | null): Promise<RecoveryReport> {
  const now = options.clock.now()
  const markerProblem = finishInterruptedRestore(options)
  const assessment = await assess(options, now)
  try {
    const report = reportOn(options, assessment, markerProblem)
    if (fence === null || report.problems.length === 0) return report
    return { ...report, setAside: replaceStore({ options, assessment, report, now, fence }) }
  } finally {
    assessment.engine.close()
  }
}

/** Finishes a restore that was interrupted. Returns the reason if restore.json is damaged, or null. */
function finishInterruptedRestore({ folder, apply, logger }: RecoverOptions): string | null {
  let marker: RestoreMarker | undefined
  try {
    marker = readMarker(folder)
  } catch (error) {
    if (error instanceof StoreError) return error.message
    throw error
  }
  if (marker?.state !== 'placing') return null
  if (!apply) {
    const message = `A restore into ${folder} was interrupted. Start the service, or run this with --apply: both finish it first.`
    throw new StoreError('unreadable', message)
  }
  finishRestore(folder, logger)
  return null
}

async function assess(options: RecoverOptions, now: Date): Promise<Assessment> {
  const { folder, dataDir, knownAuditEntry, logger, migrations } = options
  const restoredAt = existsSync(join(folder, fileNames.restore)) ? restoredTime(folder) : null
  const guard = createRecordGuard({ folder, dataDir, knownAuditEntry, restoredAt, now, logger })
  const checkSchema = (schema: number, file: string): void => refuseNewerSchema(schema, migrations, file)
  return assessStore({ sql: await loadSqlJs(), folder, guard, checkSchema })
}

function restoredTime(folder: string): string | null {
  try {
    return readMarker(folder)?.at ?? null
  } catch {
    // Already reported as a problem.
    return null
  }
}

function reportOn(
  { folder, dataDir, knownAuditEntry }: RecoverOptions,
  { engine, transaction, problems }: Assessment,
  markerProblem: string | null,
): RecoveryReport {
  const state = readRecord(dataDir)
  const hints = {
    saltOf: (sequence: number) =>
      state.kind === 'read' && state.record.segment?.sequence === sequence
        ? state.record.segment.salt
        : undefined,
    isUnneeded: () => undefined,
  }
  const inventory = takeInventory(folder, transaction, hints)
  const recorded = state.kind === 'read' ? state.record.transaction : 0
  const kept = summarize(engine, transaction)
  return {
    problems: markerProblem === null ? problems : [markerProblem, ...problems],
    kept,
    knownTransaction: Math.max(inventory.known, recorded),
    knownAuditEntry: Math.max(knownAuditEntry ?? 0, kept.auditEntry),
    writtenAt: inventory.writtenAt,
    unusable: inventory.unusable,
    setAside: null,
  }
}

/**
 * Returns the highest generation number, also of a sidecar without a snapshot, so that no file is
 * overwritten.
 */
function newestGeneration(folder: string): number {
  const numbers = readdirSync(folder).map((name) => Number(/^snapshot-(\d{8,})\./.exec(name)?.[1] ?? 0))
  return Math.max(0, ...numbers)
}

/**
 * Writes the recovered state as the only snapshot of the store. Returns the folder with the old files. A
 * crash leaves either the old files or the new state.
 */
function replaceStore(input: {
  readonly options: RecoverOptions
  readonly assessment: Assessment
  readonly report: RecoveryReport
  readonly now: Date
  readonly fence: Fence
}): string {
  const { options, assessment, report, now, fence } = input
  const { folder, dataDir, logger } = options
  const { transaction } = assessment
  const stamp = fileStamp(now)
  const generation = newestGeneration(folder) + 1
  const marker: RestoreMarker = {
    ...newMarker(`transaction-${transaction}`, generation, now),
    replaced: `set-aside-${stamp}`,
    recovered: { transaction, known: report.knownTransaction },
  }
  const markerFile = join(folder, fileNames.restore)
  if (existsSync(markerFile)) renameSync(markerFile, `${markerFile}.damaged-${stamp}`)
  syncFolder(folder)
  const { database } = assessment.engine
  const snapshot = { folder, generation, database, transaction, now, fence }
  writeSnapshot({ ...snapshot, beforeRename: () => writeMarker(folder, marker) })
  finishRestore(folder, logger)
  createRecord(dataDir, newRecord(ensureStoreId(folder, null), transaction, marker.at))
  return join(folder, marker.replaced)
}
