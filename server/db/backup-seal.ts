import { basename, join } from 'node:path'
import { z } from 'zod'
import { readFileSync } from '../disk/fs.ts'
import { StoreError } from './errors.ts'
import { digestFile } from './snapshot.ts'

/** The record written beside a backup once it was reopened and found sound: `<id>.json` for `<id>.sqlite`. */
export const BackupSeal = z.object({
  created_at: z.int(),
  size_bytes: z.int(),
  sha256: z.string(),
  /** Counts up with each backup: its age in a row, whatever the clock said. Absent in those of older versions. */
  sequence: z.int().min(1).optional(),
})
export type BackupSeal = z.infer<typeof BackupSeal>

/** Returns the seal a text holds, or null when the text is none. */
export function parseSeal(text: string): BackupSeal | null {
  try {
    return BackupSeal.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Where the seal of a file may be: beside it, or for a download that kept its name, in the folder of the backups. */
function sealFilesOf(file: string, backups: string | undefined): string[] {
  const beside = file.endsWith('.sqlite') ? [`${file.slice(0, -'.sqlite'.length)}.json`] : []
  const id = /^promptdeck-(\d{8}T\d{6}Z-[0-9a-f]{8})\.sqlite$/.exec(basename(file))?.[1]
  return id === undefined || backups === undefined ? beside : [...beside, join(backups, `${id}.json`)]
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

const otherBackup = 'Nothing was restored. Choose another backup.'

/**
 * Refuses a file that is not the backup its seal describes. Returns false when there is no seal to compare with: a
 * backup that was moved or downloaded.
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
      `${sealFile}, which records the checksum of ${file}, is damaged, so the backup cannot be verified. ${otherBackup} To restore this one with a check of its structure alone, move ${sealFile} away.`,
    )
  }
  const found = digestFile(file)
  if (found.bytes !== seal.size_bytes || found.sha256 !== seal.sha256) {
    throw new StoreError(
      'damaged',
      `${file} is not as it was when it was made: its SHA-256 differs from the one recorded in ${sealFile}. ${otherBackup}`,
    )
  }
}
