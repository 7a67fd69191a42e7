import type { Paging } from '../../../contract/common/fields.ts'
import type { Backup } from '../../../contract/system/backups.ts'
import type { Db } from '../../db/types.ts'
import { createReadStream } from '../../disk/streams.ts'
import type { History } from '../../history/history.ts'
import { createSerialQueue, type SerialQueue } from '../../lib/async/serial-queue.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { isNoSpace } from '../../lib/files/no-space.ts'
import type { BackupFile, BackupStore } from './backups.store.ts'

export type BackupsDeps = {
  readonly db: Db
  readonly history: History
  readonly store: BackupStore
  /** Maximum number of verified backups; older ones are deleted when a new one is made. */
  readonly maxBackups: number
  /** Returns false while deletion by age or number is paused because the clock jumped. */
  readonly mayDelete: () => boolean
}

/**
 * Returns the backups to delete. The input is sorted newest first. Only verified backups count, so a damaged
 * one never causes the deletion of another; it is deleted when `maxBackups` newer ones are verified. One that
 * could not be read is never deleted: it may be the newest.
 */
export function surplusOf(newestFirst: readonly BackupFile[], maxBackups: number): readonly BackupFile[] {
  const verified = newestFirst.filter((file) => file.verified)
  const oldestKept = verified[maxBackups - 1]
  if (oldestKept === undefined) return []
  return newestFirst.slice(newestFirst.indexOf(oldestKept) + 1).filter((file) => file.isReadable)
}

type ListQuery = Paging & { sort?: string | undefined }

const noSpace = 'The disk has no space for the backup, so no backup was created. Free disk space.'

const toWire = (file: BackupFile): Backup => ({
  id: file.id,
  created_at: file.createdAt.toISOString(),
  size_bytes: file.sizeBytes,
  verified: file.verified,
})

type Backups = BackupsDeps & {
  /** Runs one operation at a time: concurrent ones would compete for the disk. */
  readonly queue: SerialQueue
}

/** Makes, lists, verifies and deletes backups. */
export function createBackupsService(deps: BackupsDeps) {
  const backups: Backups = { ...deps, queue: createSerialQueue() }
  const { store, queue } = backups
  return {
    create: (ctx: Context): Promise<Backup> => queue.run(() => create(backups, ctx)),
    list: async (_ctx: Context, query: ListQuery) => pageOf(await store.list(), query),
    download: (ctx: Context, id: string): Promise<Download> => download(backups, ctx, id),

    async remove(ctx: Context, id: string): Promise<{ ok: true }> {
      await queue.run(async () => remove(backups, ctx, await required(store, id)))
      return { ok: true }
    },

    /** Returns when the newest verified backup was made, or null when there is none. */
    async newestAt(): Promise<Date | null> {
      const newest = (await store.list()).find((file) => file.verified)
      return newest?.createdAt ?? null
    },

    /**
     * Reads every backup completely and compares it with its checksum: bits on a disk can change without a
     * change of the file's times. Returns the backups that do not match.
     */
    verify: (): Promise<readonly Backup[]> =>
      queue.run(async () => (await store.list(true)).filter((file) => !file.verified).map(toWire)),
  }
}

export type BackupsService = ReturnType<typeof createBackupsService>

async function required(store: BackupStore, id: string): Promise<BackupFile> {
  const file = await store.find(id)
  if (!file) throw fail('not_found', { detail: 'Backup not found.' })
  return file
}

async function create(backups: Backups, ctx: Context): Promise<Backup> {
  const { db, history, store, maxBackups, mayDelete } = backups
  await store.prepare()
  const id = store.newId(ctx.now)
  await write(backups, id, ctx.now)
  const file = await required(store, id)
  await db.write(
    (tx) =>
      history.record(tx, ctx, {
        action: 'create',
        resource: 'backup',
        resourceId: id,
        key: id,
        summary: `Created the backup ${id} (${file.sizeBytes} bytes)`,
        after: { ...toWire(file) },
      }),
    { evenWhenFull: true },
  )
  if (mayDelete())
    for (const old of surplusOf(await store.list(), maxBackups)) await remove(backups, ctx, old)
  return toWire(file)
}

/** Writes the files of a backup. A failure leaves no files. */
async function write({ db, store }: Backups, id: string, now: Date): Promise<void> {
  try {
    await db.backup(store.unsealedOf(id))
    await store.seal(id, now)
  } catch (error) {
    await store.remove(id)
    throw isNoSpace(error) ? fail('store.full', { detail: noSpace, cause: error }) : error
  }
}

async function remove({ db, history, store }: Backups, ctx: Context, file: BackupFile): Promise<void> {
  await db.write(
    (tx) =>
      history.record(tx, ctx, {
        action: 'delete',
        resource: 'backup',
        resourceId: file.id,
        key: file.id,
        summary: `Deleted the backup ${file.id}`,
        before: { ...toWire(file) },
      }),
    { evenWhenFull: true },
  )
  await store.remove(file.id)
}

async function download({ db, history, store }: Backups, ctx: Context, id: string): Promise<Download> {
  const file = await required(store, id)
  return {
    filename: `promptdeck-${file.id}.sqlite`,
    contentType: 'application/vnd.sqlite3',
    async open() {
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'export',
            resource: 'backup',
            resourceId: id,
            key: id,
            summary: `Downloaded the backup ${id}`,
          }),
        { evenWhenFull: true },
      )
      return contentOf(store.fileOf(id))
    },
  }
}

/** Returns one page. A cursor is the id of the last backup of the previous page. */
function pageOf(files: readonly BackupFile[], query: ListQuery) {
  const newestFirst = files.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  const all = query.sort === 'created_at' ? newestFirst.toReversed() : newestFirst
  const after = query.cursor === undefined ? -1 : all.findIndex((file) => file.id === query.cursor)
  if (query.cursor !== undefined && after === -1)
    throw invalid('query.cursor', 'The cursor is not valid for this list')
  const start = query.cursor === undefined ? (query.offset ?? 0) : after + 1
  const shown = all.slice(start, start + query.limit)
  const hasMore = start + shown.length < all.length
  return {
    data: shown.map(toWire),
    total: all.length,
    next_cursor: hasMore ? (shown.at(-1)?.id ?? null) : null,
  }
}

/** Yields the content of a file. It is opened at the first read, which does not happen if the client has disconnected. */
async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file)
}
