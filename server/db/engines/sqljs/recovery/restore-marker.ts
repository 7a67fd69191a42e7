import { join } from 'node:path'
import { z } from 'zod'
import { syncFolder, writeFileDurably } from '../../../../disk/durable.ts'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from '../../../../disk/fs.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, fileStamp } from '../format/folder.ts'

/** A restore or recovery that the next start writes into the audit log. */
export type RestoredFrom = {
  readonly file: string
  readonly at: string
  /** Set for a recovery: the last transaction that was kept, and the last one known. */
  readonly recovered?: { readonly transaction: number; readonly known: number }
}

/**
 * restore.json. In state `placing`, the snapshot of `generation` either does not exist yet (the restore did
 * not happen) or exists (all older files still have to be moved). So a crash at any point leaves one of the
 * two.
 */
const RestoreMarker = z.object({
  file: z.string(),
  at: z.string(),
  state: z.enum(['placing', 'done']),
  generation: z.int().min(0),
  /** Name of the folder inside the store to which the old files are moved. */
  replaced: z.string().regex(/^(?:replaced|set-aside)-[\w.-]+$/),
  recovered: z.object({ transaction: z.int(), known: z.int() }).optional(),
})
export type RestoreMarker = Readonly<z.infer<typeof RestoreMarker>>

export function writeMarker(folder: string, marker: RestoreMarker): void {
  writeFileDurably(folder, fileNames.restore, `${JSON.stringify(marker, null, 2)}\n`)
}

/** Creates the marker of a restore that is about to begin. */
export function newMarker(file: string, generation: number, now: Date): RestoreMarker {
  return { state: 'placing', generation, file, at: now.toISOString(), replaced: `replaced-${fileStamp(now)}` }
}

/**
 * Returns the marker of a restore that is not finished or not in the audit log yet. Throws a `StoreError` if
 * it is damaged.
 */
export function readMarker(folder: string): RestoreMarker | undefined {
  const file = join(folder, fileNames.restore)
  try {
    return RestoreMarker.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const message = `${file}, the marker of a restore, is damaged: ${messageOf(error)}.`
    throw new StoreError('damaged', message, { cause: error })
  }
}

/**
 * Finishes an interrupted restore, or cancels it if it replaced nothing yet. Call it with the folder locked,
 * before reading it.
 */
export function finishRestore(folder: string, logger: StoreLogger): void {
  const marker = readMarker(folder)
  if (marker === undefined || marker.state === 'done') return
  const restored = [fileNames.snapshot(marker.generation), fileNames.sidecar(marker.generation)]
  if (!existsSync(join(folder, fileNames.snapshot(marker.generation)))) {
    for (const name of [...restored, fileNames.restore]) rmSync(join(folder, name), { force: true })
    syncFolder(folder)
    logger.warn({ file: marker.file }, 'an interrupted restore was cancelled; it had replaced nothing')
    return
  }
  mkdirSync(join(folder, marker.replaced), { recursive: true })
  // Sync before files move into the folder. A crash could lose its name, and with it the files.
  syncFolder(folder)
  for (const name of readdirSync(folder)) {
    if (!/^(?:snapshot|journal)-\d+\.(?:db|json|log)$/.test(name) || restored.includes(name)) continue
    renameSync(join(folder, name), join(folder, marker.replaced, name))
  }
  syncFolder(join(folder, marker.replaced))
  writeMarker(folder, { ...marker, state: 'done' })
  logger.info(
    { file: marker.file, replaced: marker.replaced },
    marker.recovered === undefined
      ? 'restored a backup; what it replaced was kept'
      : 'recovered the store; the rest was set aside',
  )
}

export function readRestored(folder: string): RestoredFrom | null {
  const marker = readMarker(folder)
  if (marker === undefined) return null
  const { file, at, recovered } = marker
  return { file, at, ...(recovered && { recovered }) }
}

/** Removes the marker. Call it once the audit log contains the restore. */
export function clearRestore(folder: string): void {
  rmSync(join(folder, fileNames.restore), { force: true })
}
