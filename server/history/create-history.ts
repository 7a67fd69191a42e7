import { basename } from 'node:path'
import type { Logger } from 'pino'
import type { Db, Query } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { systemContext } from '../lib/context.ts'
import type { NewId } from '../lib/ids.ts'
import { plainText } from '../lib/plain-text.ts'
import { entryById } from './audit.store.ts'
import type { Bus } from './bus.ts'
import { genesis, type Head } from './chain.ts'
import type { ChainKey } from './chain-key.ts'
import { digestTable, examineHead, keyFits, tableHead } from './chain-start.ts'
import { advanceLiveSeq, liveSeq } from './events.store.ts'
import { createHeadMirror, type HeadMirror, type HeadState, readHead } from './head-file.ts'
import type { History, HistoryEvent, Reminder } from './history.ts'
import { createRecorder } from './record.ts'

/** The store was put back from a file since the last start. */
export type RestoreNotice = { readonly file: string; readonly at: string | Date }

export type HistoryDeps = {
  readonly db: Db
  readonly bus: Bus
  readonly dataDir: string
  readonly chainKey: ChainKey
  /** Null unless this is the first start after a restore. */
  readonly restored: RestoreNotice | null
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'error' | 'warn'>
  readonly headDelayMs?: number
}

export type OpenHistory = History &
  Reminder & {
    readonly mirror: HeadMirror
    /** Writes the head a last time. After the last transaction, before the store closes. */
    close(): Promise<void>
  }

/**
 * After a restore the counter jumps further than any client can be ahead or be replayed, so that a number given away
 * before is never used again and whoever was connected is told to fetch everything.
 */
const restoreJump = 1_000_000

/** Compares the log with its head file, notes a restore or a foreign key in the log itself, and starts recording. */
export async function createHistory(deps: HistoryDeps): Promise<OpenHistory> {
  const { db, bus, dataDir, clock, newId, logger, restored } = deps
  const { key } = deps.chainKey
  const now = clock.now()
  const head = await readHead(dataDir)
  const table = await tableHead(db.read)
  const fits = !deps.chainKey.isNew && (await keyFits(db.read, key, head))
  const isOtherKey = !fits && table.id > 0
  const finding = restored !== null || isOtherKey ? null : await examineHead(db.read, key, head, now)
  if (finding !== null) logger.error({ finding }, `The audit log is not whole: ${finding.detail}`)

  const early: { head: Head; liveSeq: number }[] = []
  let mirror: HeadMirror | null = null
  const recorder = createRecorder({
    bus,
    key,
    onDurable: (newest, seq) =>
      mirror === null ? early.push({ head: newest, liveSeq: seq }) : mirror.update(newest, seq),
  })

  // A crash right after the entry was written leaves the notice standing: it is not recorded twice.
  const isNoted = restored !== null && fits && (await isRestoreNoted(db.read, table.id, restored))
  if ((restored !== null && !isNoted) || isOtherKey) {
    const digest = isOtherKey ? await digestTable(db.read, table.id) : null
    const event = anchorEvent({ restored, head, table, digest })
    if (restored === null) logger.warn(event.summary)
    await db.write(
      async (tx) => {
        const known = head.kind === 'read' ? head.record.live_seq : 0
        await advanceLiveSeq(tx.q, Math.max(await liveSeq(tx.q), known) + restoreJump)
        await recorder.record(tx, systemContext(now, `start_${newId()}`), event)
      },
      { evenWhenFull: true },
    )
  }

  const newest = early.at(-1) ?? { head: table, liveSeq: await liveSeq(db.read) }
  await db.settled()
  const opened = await createHeadMirror({
    dataDir,
    key,
    clock,
    logger,
    initial: { ...newest, finding },
    ...(deps.headDelayMs !== undefined && { delayMs: deps.headDelayMs }),
  })
  mirror = opened
  return { ...recorder, mirror: opened, close: () => opened.close() }
}

/** Without its folder: whoever may read the log need not know how this machine's disk is laid out. */
const nameOf = (restored: RestoreNotice): string => plainText(basename(restored.file), 128)

const timeOf = (restored: RestoreNotice): string => new Date(restored.at).toISOString()

async function isRestoreNoted(q: Query, newestId: number, restored: RestoreNotice): Promise<boolean> {
  const row = newestId === 0 ? undefined : await entryById(q, newestId)
  if (row?.action !== 'restore' || row.key !== nameOf(restored)) return false
  return row.after?.includes(JSON.stringify(timeOf(restored))) === true
}

type Anchor = {
  readonly restored: RestoreNotice | null
  readonly head: HeadState
  readonly table: Head
  readonly digest: string | null
}

/**
 * The `system` entry from which the chain starts anew. It carries the head before (what a restore threw away) and the
 * head it continues from; where another key sealed the older rows, their digest, so that they cannot change unseen.
 */
function anchorEvent({ restored, head, table, digest }: Anchor): HistoryEvent {
  const earlier = head.kind === 'read' ? head.record : null
  const before = {
    head: earlier === null ? null : { id: earlier.id, hash: earlier.hash },
    ...(earlier?.finding && { finding: earlier.finding }),
  }
  const after = {
    head: table.id === 0 ? genesis : table,
    sealed_with: digest === null ? 'this key' : 'another key',
    ...(digest !== null && { digest }),
    ...(restored !== null && { file: nameOf(restored), restored_at: timeOf(restored) }),
  }
  if (restored === null) {
    const summary = `The audit key is not the one that sealed entries 1 to ${table.id}; they can no longer be verified. The chain starts anew here.`
    return { action: 'restore', resource: 'audit', resourceId: null, key: null, summary, before, after }
  }
  const lost =
    earlier !== null && earlier.id > table.id
      ? ` Entries ${table.id + 1} to ${earlier.id} were left behind.`
      : ''
  const summary = `Restored the store from ${nameOf(restored)}, whose log ends at entry ${table.id}.${lost}`
  return {
    action: 'restore',
    resource: 'backup',
    resourceId: null,
    key: nameOf(restored),
    summary,
    before,
    after,
  }
}
