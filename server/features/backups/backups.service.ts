import type { Backup } from '../../../contract/backups.ts'
import type { Paging } from '../../../contract/common.ts'
import type { Db } from '../../db/types.ts'
import { createReadStream } from '../../disk/streams.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { isNoSpace } from '../../lib/files/no-space.ts'
import type { BackupFile, BackupStore } from './backups.store.ts'

export type BackupsDeps = {
  readonly db: Db
  readonly history: History
  readonly store: BackupStore
  /** Number of verified backups to keep; older ones are deleted when a new one is made. */
  readonly kept: number
  /** Returns false while deletion by age or number is paused because the clock jumped. */
  readonly mayDelete: () => boolean
}

/**
 * Returns the backups beyond the number to keep. The input is sorted newest first. Only verified backups
 * count, so a damaged one never causes the deletion of another; it is deleted when all kept ones are newer.
 * One that could not be read stays: it may be the newest.
 */
export function surplusOf(newestFirst: readonly BackupFile[], kept: number): readonly BackupFile[] {
  const verified = newestFirst.filter((file) => file.verified)
  const oldestKept = verified[kept - 1]
  if (oldestKept === undefined) return []
  return newestFirst.slice(newestFirst.indexOf(oldestKept) + 1).filter((file) => file.isReadable)
}

const noRoom = 'The disk has no room for the backup; nothing of it was kept. Free some room on it.'

const toWire = (file: BackupFile): Backup => ({
  id: file.id,
  created_at: file.createdAt.toISOString(),
  size_bytes: file.sizeBytes,
  verified: file.verified,
})

export function createBackupsService({ db, history, store, kept, mayDelete }: BackupsDeps) {
  let last: Promise<unknown> = Promise.resolve()
  /** Runs one operation at a time: concurrent ones would compete for the disk. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }

  const remove = async (ctx: Context, file: BackupFile) => {
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

  /** Makes a backup. A failure leaves no files. */
  const make = async (id: string, now: Date) => {
    try {
      await db.backup(store.fileOf(id))
      await store.seal(id, now)
    } catch (error) {
      await store.remove(id)
      throw isNoSpace(error) ? fail('store.full', { detail: noRoom, cause: error }) : error
    }
  }

  const required = async (id: string) => {
    const file = await store.find(id)
    if (!file) throw fail('not_found', { detail: 'There is no such backup.' })
    return file
  }

  return {
    create: (ctx: Context): Promise<Backup> =>
      inTurn(async () => {
        await store.prepare()
        const id = store.newId(ctx.now)
        await make(id, ctx.now)
        const file = await required(id)
        await db.write(
          (tx) =>
            history.record(tx, ctx, {
              action: 'create',
              resource: 'backup',
              resourceId: id,
              key: id,
              summary: `Made the backup ${id} (${file.sizeBytes} bytes)`,
              after: { ...toWire(file) },
            }),
          { evenWhenFull: true },
        )
        if (mayDelete()) for (const old of surplusOf(await store.list(), kept)) await remove(ctx, old)
        return toWire(file)
      }),

    async list(_ctx: Context, query: Paging & { sort?: string | undefined }) {
      const newestFirst = (await store.list()).toSorted(
        (a, b) => b.createdAt.getTime() - a.createdAt.getTime(),
      )
      const all = query.sort === 'created_at' ? newestFirst.toReversed() : newestFirst
      const after = query.cursor === undefined ? -1 : all.findIndex((file) => file.id === query.cursor)
      if (query.cursor !== undefined && after === -1)
        throw invalid('query.cursor', 'No such place in this list')
      const start = query.cursor === undefined ? (query.offset ?? 0) : after + 1
      const shown = all.slice(start, start + query.limit)
      const hasMore = start + shown.length < all.length
      return {
        data: shown.map(toWire),
        total: all.length,
        next_cursor: hasMore ? (shown.at(-1)?.id ?? null) : null,
      }
    },

    async download(ctx: Context, id: string): Promise<Download> {
      const file = await required(id)
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
      return {
        filename: `promptdeck-${file.id}.sqlite`,
        contentType: 'application/vnd.sqlite3',
        chunks: createReadStream(store.fileOf(id)),
      }
    },

    async remove(ctx: Context, id: string): Promise<{ ok: true }> {
      await inTurn(async () => remove(ctx, await required(id)))
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
    async verify(): Promise<readonly Backup[]> {
      return inTurn(async () => (await store.list(true)).filter((file) => !file.verified).map(toWire))
    },
  }
}

export type BackupsService = ReturnType<typeof createBackupsService>
