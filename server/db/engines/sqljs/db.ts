import { endAll } from '../../../lib/end-all.ts'
import { fail, storeClosed } from '../../../lib/fail.ts'
import { isNoSpace } from '../../../lib/files/no-space.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import type { Db, DbStatus } from '../../types.ts'
import type { StoreParts } from './parts.ts'

/** Maximum size of a snapshot that is written and verified in well under a second. */
const CHEAP_SNAPSHOT_BYTES = 64 * 1024 * 1024

type State = {
  readonly parts: StoreParts
  /** Set once `close` was called. */
  closing: Promise<void> | undefined
}

export function createDb(parts: StoreParts): Db {
  const { transactions, checkpoints } = parts
  const state: State = { parts, closing: undefined }
  return {
    read: transactions.read,
    async write(work, writeOptions) {
      const result = await transactions.write(work, writeOptions)
      if (state.closing === undefined) checkpoints.takeIfDue()
      return result
    },
    settled: transactions.settled,
    check: transactions.settled,
    status: () => statusOf(parts),
    async checkpoint() {
      assertServing(state)
      await checkpoints.take()
    },
    async backup(file) {
      assertServing(state)
      return backup(parts, file)
    },
    close() {
      state.closing ??= close(parts)
      return state.closing
    },
  }
}

function assertServing({ parts, closing }: State): void {
  if (parts.lifecycle.state !== 'open' || closing !== undefined) throw storeClosed()
}

function statusOf({ lifecycle, engine, options, space, journal }: StoreParts): DbStatus {
  const { state } = lifecycle
  const { database } = engine
  const limitBytes = options.maxStoreBytes
  return {
    state,
    usedBytes: state === 'closed' ? 0 : database.usedBytes(),
    limitBytes,
    isFull: state !== 'closed' && database.usedBytes() >= limitBytes,
    diskFullSince: space.fullSince(),
    committed: journal.committed(),
    synced: journal.synced(),
  }
}

async function backup({ checkpoints }: StoreParts, file: string): Promise<{ sizeBytes: number }> {
  try {
    return { sizeBytes: (await checkpoints.backup(file)).bytes }
  } catch (error) {
    if (!isNoSpace(error)) throw error
    const detail = 'The disk has no space for the backup, so no backup was created. Free disk space.'
    throw fail('store.full', { detail, cause: error })
  }
}

async function close(parts: StoreParts): Promise<void> {
  const { lifecycle, transactions, checkpoints, space, journal, engine, lock, options } = parts
  if (lifecycle.state === 'open') {
    // Wait for the writes that are already queued.
    await transactions.between(async () => transactions.stop())
    if (checkpoints.isDue(0.25) || isReadableCopyDue(parts)) {
      const onError = (error: unknown): void =>
        options.logger.error(
          { reason: messageOf(error) },
          'no snapshot at the end; the journal keeps everything',
        )
      await checkpoints.take().catch(onError)
    }
  }
  const end = (): void => {
    if (lifecycle.state === 'open') lifecycle.state = 'closed'
  }
  await endAll([checkpoints.idle, space.close, journal.close, end, engine.close, lock.release])
}

/**
 * Returns true if a snapshot at close is cheap and contains new transactions, so that other SQLite tools see
 * them.
 */
function isReadableCopyDue({ options, journal, engine }: StoreParts): boolean {
  return (
    options.snapshotAtClose === true &&
    journal.appended().transactions > 0 &&
    engine.database.usedBytes() <= CHEAP_SNAPSHOT_BYTES
  )
}
