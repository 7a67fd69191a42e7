import { createReadStream } from 'node:fs'
import type { Backup } from '../../../contract/backups.ts'
import type { Paging } from '../../../contract/common.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { BackupFile, BackupStore } from './backups.store.ts'

export type BackupsDeps = {
  readonly db: Db
  readonly history: History
  readonly store: BackupStore
  /** How many are kept; older ones go when a new one is made. */
  readonly kept: number
}

const toWire = (file: BackupFile): Backup => ({
  id: file.id,
  created_at: file.createdAt.toISOString(),
  size_bytes: file.sizeBytes,
  verified: file.verified,
})

export function createBackupsService({ db, history, store, kept }: BackupsDeps) {
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time: two would only compete for the disk. */
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
        await db.backup(store.fileOf(id))
        await store.seal(id, ctx.now)
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
        const all = await store.list()
        for (const old of all.slice(kept)) await remove(ctx, old)
        return toWire(file)
      }),

    async list(_ctx: Context, query: Paging & { sort?: string | undefined }) {
      const newestFirst = await store.list()
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
      await db.write((tx) =>
        history.record(tx, ctx, {
          action: 'export',
          resource: 'backup',
          resourceId: id,
          key: id,
          summary: `Downloaded the backup ${id}`,
        }),
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

    /** When the newest backup was made; null when there is none. */
    async newestAt(): Promise<Date | null> {
      const [newest] = await store.list()
      return newest?.createdAt ?? null
    },
  }
}

export type BackupsService = ReturnType<typeof createBackupsService>
