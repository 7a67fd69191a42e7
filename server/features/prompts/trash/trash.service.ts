import type { Db } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import { type Context, systemContext } from '../../../lib/context.ts'
import { hourMs, minuteMs } from '../../../lib/durations.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { DeletionClock } from '../../../retention/deletion-clock.ts'
import { deletedBefore, erasePrompt, findDeleted } from '../state/prompts.store.ts'
import { trashMs } from '../state/prompts.wire.ts'

export type TrashDeps = {
  readonly db: Db
  readonly history: History
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly newId: NewId
}

/** Maximum number of prompts per transaction. Their versions and words are deleted with them. */
const batchSize = 20

type ErasedRow = Awaited<ReturnType<typeof deletedBefore>>[number]

/** Returns the audit event of a permanent deletion. */
const erasedEvent = (
  { id, key, env, workspace_id: workspaceId, deleted_at: deletedAt }: ErasedRow,
  reason: string,
) =>
  ({
    action: 'delete',
    resource: 'prompt',
    resourceId: id,
    key,
    workspaceId,
    summary: `Permanently deleted ${key} in ${env}: ${reason}`,
    before: { key, env, deleted_at: deletedAt === null ? null : new Date(deletedAt).toISOString() },
  }) as const

/** Deletes prompts permanently after their time in the trash. */
export function createTrash({ db, history, deletion, newId }: TrashDeps) {
  return {
    /** Deletes a prompt permanently that is in the trash. Does nothing if there is none of this id. */
    erase: (ctx: Context, id: string): Promise<void> =>
      db.write(
        async (tx) => {
          const row = await findDeleted(tx.q, id)
          if (row === undefined) return
          await erasePrompt(tx.q, id)
          await history.record(tx, ctx, erasedEvent(row, 'removed with the sample data'))
        },
        { evenWhenFull: true },
      ),
    async deleteExpired(): Promise<{ removed: number }> {
      for (let removed = 0; ; ) {
        const now = deletion.now()
        if (now === null) return { removed }
        const ctx = systemContext(now, `trash_${newId()}`)
        const deleted = await db.write(
          async (tx) => {
            const old = await deletedBefore(tx.q, { before: now.getTime() - trashMs, limit: batchSize })
            for (const row of old) {
              await erasePrompt(tx.q, row.id)
              await history.record(tx, ctx, erasedEvent(row, 'its time in the trash expired'))
            }
            return old.length
          },
          { evenWhenFull: true },
        )
        removed += deleted
        if (deleted < batchSize) return { removed }
      }
    },
  }
}

const intervalMs = hourMs

/** Deletes expired prompts permanently every hour, and a minute after the start. */
export function startTrashMaintenance(deps: {
  readonly trash: ReturnType<typeof createTrash>
  readonly onError: (error: unknown) => void
}): { close(): Promise<void> } {
  let running: Promise<unknown> = Promise.resolve()
  const removeExpired = () => {
    running = running.then(() => deps.trash.deleteExpired()).catch(deps.onError)
  }
  const timers = [setTimeout(removeExpired, minuteMs), setInterval(removeExpired, intervalMs)]
  for (const timer of timers) timer.unref()
  return {
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await running
    },
  }
}
