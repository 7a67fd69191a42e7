import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileNames, fileStamp, syncFolder, writeFileDurably } from './files.ts'
import type { StoreLogger } from './types.ts'

/** What the first start after a restore tells the audit log. */
export type RestoredFrom = { readonly file: string; readonly at: string }

/**
 * restore.json. While it says `placing`, the snapshot of `generation` either is not there yet (the restore never
 * happened) or is (everything older still has to move away): a crash at any point ends in one of the two.
 */
export type RestoreMarker = RestoredFrom & {
  readonly state: 'placing' | 'done'
  readonly generation: number
  /** The folder that takes what was there before. */
  readonly replaced: string
}

export function writeMarker(folder: string, marker: RestoreMarker): void {
  writeFileDurably(folder, fileNames.restore, `${JSON.stringify(marker, null, 2)}\n`)
}

export function newMarker(file: string, generation: number, now: Date): RestoreMarker {
  return { state: 'placing', generation, file, at: now.toISOString(), replaced: `replaced-${fileStamp(now)}` }
}

function readMarker(folder: string): RestoreMarker | undefined {
  const file = join(folder, fileNames.restore)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RestoreMarker) : undefined
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
  for (const name of readdirSync(folder)) {
    if (!/^(?:snapshot|journal)-\d+\.(?:db|json|log)$/.test(name) || kept.includes(name)) continue
    renameSync(join(folder, name), join(folder, marker.replaced, name))
  }
  syncFolder(join(folder, marker.replaced))
  writeMarker(folder, { ...marker, state: 'done' })
  logger.info(
    { file: marker.file, replaced: marker.replaced },
    'restored a backup; what it replaced was kept',
  )
}

export function readRestored(folder: string): RestoredFrom | null {
  const marker = readMarker(folder)
  return marker === undefined ? null : { file: marker.file, at: marker.at }
}

export function forgetRestore(folder: string): void {
  rmSync(join(folder, fileNames.restore), { force: true })
}
