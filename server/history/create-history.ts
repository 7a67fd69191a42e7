import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import type { AuditTable } from '../db/schema/schema.ts'
import type { Db, Query } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { systemContext } from '../lib/context.ts'
import type { NewId } from '../lib/ids.ts'
import { anchorEvent, fileNameOf, type RestoreNotice, replacedHeadOf, restoreTimeOf } from './anchor.ts'
import { entryById, restoreEntries } from './chain/audit.store.ts'
import { type Head, isSigned } from './chain/chain.ts'
import { knownKeys, type ServiceChainKeys } from './chain/chain-key.ts'
import {
  createHeadWriter,
  type Finding,
  type HeadState,
  type HeadWriter,
  readHead,
} from './chain/head-file.ts'
import { reconcileKeys } from './chain/reconcile-keys.ts'
import { isAnchorShaped, matchKey } from './chain/segments.ts'
import { tableHead } from './chain/table-head.ts'
import type { Bus } from './events/bus.ts'
import { advanceLiveSeq, liveSeq } from './events/events.store.ts'
import type { ChangeAnnouncer, FrameResender, History } from './history.ts'
import { createRecorder } from './record.ts'
import { checkHead, compareHead, digestTable } from './verify/verify-head.ts'

export type HistoryDeps = {
  readonly db: Db
  readonly bus: Bus
  /** True if other instances use the database. */
  readonly isShared?: boolean
  readonly dataDir: string
  readonly chainKeys: ServiceChainKeys
  /** Null unless this is the first start after a restore. */
  readonly restored: RestoreNotice | null
  /** True for another instance of a database at its first start, which has no head file yet. */
  readonly isNewInstance?: boolean
  /** Called once the log contains the restore and its head file is written. */
  readonly onRestoreStored: () => void
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'error' | 'warn'>
  readonly headDelayMs?: number
}

export type OpenHistory = History &
  FrameResender &
  ChangeAnnouncer & {
    /** Returns the head that the log is verified with. */
    head(): Promise<HeadState>
    /** Writes the head file a last time. Call it after the last transaction, before the store closes. */
    close(): Promise<void>
  }

/**
 * Increase of the sequence number after a restore. It is more than a client can be ahead or replay, so that
 * no number is used twice and every earlier client receives `resync`.
 */
const restoreIncrement = 1_000_000

/**
 * Compares the log with its head file, records a restore or a new key in the log, and returns the history.
 */
export async function createHistory(deps: HistoryDeps): Promise<OpenHistory> {
  const { db, bus, dataDir, clock, newId, logger, restored } = deps
  const { chainKeys } = deps
  const key = chainKeys.current
  const now = clock.now()
  const head = await readHead(dataDir)
  const table = await tableHead(db.read)
  // After a restore, the head file is that of the replaced log.
  const ownHead: HeadState = restored === null ? head : { kind: 'missing' }
  const match = await matchKey(db.read, key, chainKeys.others, ownHead)
  const isOtherKey = match.kind !== 'end'
  await reconcileKeys({ chainKeys, match: match.kind, table, head, isRestored: restored !== null, dataDir })
  // After a crash, or on a full disk, the restore is still marked as unrecorded. Do not record it twice.
  const recorded = isOtherKey ? undefined : await restoreEntryOf(db.read, restored)
  const isReplaced = restored !== null && (recorded === undefined || isHeadBefore(recorded, head))
  const isExplained = isReplaced || match.endKey === null || (await isHeadOfLostKey(db.read, key, head))
  const finding = isExplained ? null : await checkAtStart(deps, head, now)

  const newestHead = followHead(table, logger)
  const recorder = createRecorder({ bus, isShared: deps.isShared === true, key, ...newestHead })

  if ((restored !== null && recorded === undefined) || isOtherKey) {
    const digest = isOtherKey ? await digestTable(db.read, table.id) : null
    const event = anchorEvent({ restored, head, table, digest, match: match.kind })
    if (restored === null) logger.warn(event.summary)
    await db.write(
      async (tx) => {
        const known = head.kind === 'read' ? head.record.live_seq : 0
        await advanceLiveSeq(tx.q, Math.max(await liveSeq(tx.q), known) + restoreIncrement)
        await recorder.record(tx, systemContext(now, `start_${newId()}`), event)
      },
      { evenWhenFull: true },
    )
  }

  // Until the head file is written after a restore, it refers to the replaced log, and comparing the two would
  // look like tampering.
  let isFileCurrent = restored === null
  const newest = newestHead.recorded() ?? { head: table, liveSeq: await liveSeq(db.read) }
  await db.settled()
  const opened = await createHeadWriter({
    dataDir,
    key,
    clock,
    logger,
    initial: { ...newest, finding },
    onFirstWrite: () => {
      if (restored !== null) deps.onRestoreStored()
      isFileCurrent = true
    },
    ...(deps.headDelayMs !== undefined && { delayMs: deps.headDelayMs }),
  })
  newestHead.attach(opened)
  return {
    ...recorder,
    head: async () => (isFileCurrent ? readHead(dataDir) : { kind: 'read', record: opened.current() }),
    close: () => opened.close(),
  }
}

/** Compares the head file with the table. Another instance of a database has none at its first start. */
async function checkAtStart(deps: HistoryDeps, head: HeadState, now: Date): Promise<Finding | null> {
  if (deps.isNewInstance === true && head.kind === 'missing') return null
  const finding = await checkHead(deps.db.read, knownKeys(deps.chainKeys), head, now)
  if (finding !== null) deps.logger.error({ finding }, `The audit log failed a check: ${finding.detail}`)
  return finding
}

/** Follows the newest entry of the log, and writes it to the head file once that is open. */
function followHead(start: Head, logger: HistoryDeps['logger']) {
  let known = start
  let recorded: { head: Head; liveSeq: number } | null = null
  let writer: HeadWriter | null = null
  return {
    // Without it, the head of the next entry would hide that somebody removed entries from a database in use.
    checkNewest: (q: Query, last: Head, now: Date) => compareHead(q, known, last, now),
    onDurable(head: Head, liveSeq: number, finding: Finding | null) {
      if (finding !== null) logger.error({ finding }, `The audit log failed a check: ${finding.detail}`)
      known = head
      recorded = { head, liveSeq }
      writer?.update(head, liveSeq, finding)
    },
    recorded: () => recorded,
    attach(opened: HeadWriter) {
      writer = opened
    },
  }
}

/** Returns the entry of a restore; undefined if the log has none. */
async function restoreEntryOf(q: Query, restored: RestoreNotice | null): Promise<AuditTable | undefined> {
  if (restored === null) return undefined
  const entries = await restoreEntries(q, {})
  const time = JSON.stringify(restoreTimeOf(restored))
  return entries.find(({ key, after }) => key === fileNameOf(restored) && after?.includes(time) === true)
}

/**
 * Returns true if a crash interrupted the start that recorded a new key: its entry is the newest, and the head file is
 * still the one from before, which the lost key signed.
 */
async function isHeadOfLostKey(q: Query, key: KeyObject, head: HeadState): Promise<boolean> {
  const newest = await entryById(q, (await tableHead(q)).id)
  if (newest === undefined || head.kind !== 'read') return false
  // The entry names the head only if it was not that of the previous entry.
  const { id, hash } = head.record
  const isPrevious = id === newest.id - 1 && hash === newest.prev_hash
  return isAnchorShaped(newest) && isSigned(key, newest) && (isPrevious || isHeadBefore(newest, head))
}

/** Returns true if the head file is still that of the log that a restore replaced. */
function isHeadBefore(entry: AuditTable, head: HeadState): boolean {
  const replaced = replacedHeadOf(entry)
  // The replaced log may have had no readable head either.
  if (head.kind !== 'read') return replaced === null
  return replaced?.id === head.record.id && replaced.hash === head.record.hash
}
