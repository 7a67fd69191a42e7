import { basename, join } from 'node:path'
import { z } from 'zod'
import { digestFile } from '../disk/digest.ts'
import { readFileSync } from '../disk/fs.ts'
import { isMissing } from '../lib/files/is-missing.ts'
import { StoreError } from './errors.ts'

/** Metadata written beside a backup after it was reopened and verified: `<id>.json` for `<id>.sqlite`. */
export const BackupSeal = z.object({
  // The latest time of a Date.
  created_at: z.int().max(8.64e15),
  size_bytes: z.int(),
  sha256: z.string(),
  /**
   * Increases with each backup, so that backups have an order even if the clock was wrong. Absent in older
   * versions.
   */
  sequence: z.int().min(1).optional(),
})
export type BackupSeal = z.infer<typeof BackupSeal>

/** Parses the metadata of a backup. Returns null if the text is not valid. */
export function parseSeal(text: string): BackupSeal | null {
  try {
    return BackupSeal.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Returns the possible paths of the metadata of a file: beside it, or in the folder of backups if it is a
 * download with its original name.
 */
function sealFilesOf(file: string, backups: string | undefined): string[] {
  const beside = file.endsWith('.sqlite') ? [`${file.slice(0, -'.sqlite'.length)}.json`] : []
  const id = /^promptdeck-(\d{8}T\d{6}Z-[0-9a-f]{8})\.sqlite$/.exec(basename(file))?.[1]
  return id === undefined || backups === undefined ? beside : [...beside, join(backups, `${id}.json`)]
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const otherBackup = 'Nothing was restored. Choose another backup.'

/**
 * Throws if the file differs from its recorded checksum. Returns false if there is no checksum to compare
 * with, as for a backup that was moved and renamed.
 */
export function checkSeal(file: string, backups: string | undefined): boolean {
  for (const sealFile of sealFilesOf(file, backups)) {
    const text = readText(sealFile)
    if (text === null) continue
    compare(file, sealFile, text)
    return true
  }
  return false
}

function compare(file: string, sealFile: string, text: string): void {
  const seal = parseSeal(text)
  if (seal === null) {
    throw new StoreError(
      'damaged',
      `${sealFile}, which records the checksum of ${file}, is damaged, so the backup cannot be verified. ${otherBackup} To restore this one with only a check of its structure, move ${sealFile} away.`,
    )
  }
  const actual = digestFile(file)
  if (actual.bytes !== seal.size_bytes || actual.sha256 !== seal.sha256) {
    throw new StoreError(
      'damaged',
      `${file} has changed since it was created: its SHA-256 differs from the one recorded in ${sealFile}. ${otherBackup}`,
    )
  }
}
