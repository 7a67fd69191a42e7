import { join } from 'node:path'
import { z } from 'zod'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from '../disk/fs.ts'
import { messageOf, StoreError } from './errors.ts'
import { fileNames, fileStamp, syncFolder, writeFileDurably } from './files.ts'
import type { StoreLogger } from './types.ts'

/** What the first start after a restore tells the audit log. */
export type RestoredFrom = {
  readonly file: string
  readonly at: string
  /** Present when the state was recovered from the folder itself: its last transaction, and the last one known. */
  readonly recovered?: { readonly transaction: number; readonly known: number }
}

/**
 * restore.json. While it says `placing`, the snapshot of `generation` either is not there yet (the restore never
 * happened) or is (everything older still has to move away): a crash at any point ends in one of the two.
 */
const RestoreMarker = z.object({
  file: z.string(),
  at: z.string(),
  state: z.enum(['placing', 'done']),
  generation: z.int().min(0),
  /** The folder inside the store that takes what was there before. */
  replaced: z.string().regex(/^(?:replaced|set-aside)-[\w.-]+$/),
  recovered: z.object({ transaction: z.int(), known: z.int() }).optional(),
})
export type RestoreMarker = Readonly<z.infer<typeof RestoreMarker>>

export function writeMarker(folder: string, marker: RestoreMarker): void {
  writeFileDurably(folder, fileNames.restore, `${JSON.stringify(marker, null, 2)}\n`)
}

export function newMarker(file: string, generation: number, now: Date): RestoreMarker {
  return { state: 'placing', generation, file, at: now.toISOString(), replaced: `replaced-${fileStamp(now)}` }
}

/** Returns the marker of a restore that is not finished, or not in the audit log yet. Throws a StoreError if it is damaged. */
export function readMarker(folder: string): RestoreMarker | undefined {
  const file = join(folder, fileNames.restore)
  if (!existsSync(file)) return undefined
  try {
    return RestoreMarker.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const message = `${file}, the note of a restore, is damaged: ${messageOf(error)}.`
    throw new StoreError('damaged', message, { cause: error })
  }
}

/** Brings a restore that was begun to its end, or takes it back. Call it with the folder locked, before reading it. */
export function finishRestore(folder: string, logger: StoreLogger): void {
  const marker = readMarker(folder)
  if (marker === undefined || marker.state === 'done') return
  const kept = [fileNames.snapshot(marker.generation), fileNames.sidecar(marker.generation)]
  if (!existsSync(join(folder, fileNames.snapshot(marker.generation)))) {
    for (const name of [...kept, fileNames.restore]) rmSync(join(folder, name), { force: true })
    syncFolder(folder)
    logger.warn({ file: marker.file }, 'a restore was broken off before it replaced anything')
    return
  }
  mkdirSync(join(folder, marker.replaced), { recursive: true })
  // Before anything moves into it: with its name its content would be lost.
  syncFolder(folder)
  for (const name of readdirSync(folder)) {
    if (!/^(?:snapshot|journal)-\d+\.(?:db|json|log)$/.test(name) || kept.includes(name)) continue
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

export function forgetRestore(folder: string): void {
  rmSync(join(folder, fileNames.restore), { force: true })
}
