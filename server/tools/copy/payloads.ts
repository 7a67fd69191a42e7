import { join } from 'node:path'
import { StoreError } from '../../db/errors.ts'
import type { Query } from '../../db/types.ts'
import { syncFolderAsync } from '../../disk/durable.ts'
import { statSync } from '../../disk/fs.ts'
import { open, rename, rm } from '../../disk/promises.ts'
import { dayFileName } from '../../features/runs/payloads/day-files.ts'
import { payloadStore } from '../../features/runs/payloads/stored/payloads.store.ts'
import { makeFolder } from '../../lib/files/make-folder.ts'

const linesPerStatement = 200

/**
 * Returns the days whose payloads are in a database. Throws a `StoreError` if only a part of a payload file in `dataDir`,
 * the data folder of its service, is there.
 */
export async function payloadDaysOf(q: Query, dataDir: string): Promise<readonly number[]> {
  const days = await payloadStore.days(q)
  for (const { day, imported } of days) {
    const file = join(dataDir, 'payloads', dayFileName(day))
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (imported > 0 && imported < size)
      throw new StoreError(
        'incomplete',
        `The service was interrupted while it put ${file} into the database. Start it once, stop it, and copy again.`,
      )
  }
  return days.map(({ day }) => day)
}

/** Writes the payloads of `days` in a database as the files of a data folder, with the same offsets. */
export async function writePayloadFiles(
  q: Query,
  days: readonly number[],
  dataDir: string,
  signal: AbortSignal,
): Promise<void> {
  if (days.length === 0) return
  const folder = join(dataDir, 'payloads')
  await makeFolder(dataDir)
  await makeFolder(folder)
  for (const day of days) {
    const file = join(folder, dayFileName(day))
    const temporary = `${file}.tmp`
    await rm(temporary, { force: true })
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await writeDay(q, day, handle, signal)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  }
  await syncFolderAsync(folder)
}

type Handle = Awaited<ReturnType<typeof open>>

async function writeDay(q: Query, day: number, handle: Handle, signal: AbortSignal): Promise<void> {
  let next = 0
  for (;;) {
    signal.throwIfAborted()
    const lines = await payloadStore.linesFrom(q, day, next, linesPerStatement)
    for (const { start, length, line } of lines) {
      if (line === null)
        throw new StoreError(
          'not_a_store',
          'Captured inputs and outputs of this database are in the bucket or folder of PAYLOADS_URL, and cannot be copied to a data folder.',
        )
      // The place of a line that could not be imported is filled with line feeds.
      if (start > next) await handle.writeFile(Buffer.alloc(start - next, 10))
      await handle.writeFile(line)
      next = start + length
    }
    if (lines.length < linesPerStatement) return
  }
}
