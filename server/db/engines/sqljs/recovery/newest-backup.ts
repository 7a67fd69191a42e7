import { join } from 'node:path'
import { digestFile } from '../../../../disk/digest.ts'
import { readdirSync, readFileSync, statSync } from '../../../../disk/fs.ts'
import { parseSeal } from '../../../backup-seal.ts'

export type KnownBackup = { readonly file: string; readonly createdAt: Date }

/** Returns the newest backup whose content matches its recorded checksum, or null. Reads the whole file. */
export function newestVerifiedBackup(dataDir: string): KnownBackup | null {
  const folder = join(dataDir, 'backups')
  const candidates = namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readSeal(folder, name))
    .filter((seal) => seal !== null)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  const found = candidates.find(isWhole)
  return found === undefined ? null : { file: found.file, createdAt: found.createdAt }
}

type Seal = KnownBackup & { readonly bytes: number; readonly sha256: string }

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No backup exists.
    return []
  }
}

function readSeal(folder: string, name: string): Seal | null {
  try {
    const seal = parseSeal(readFileSync(join(folder, name), 'utf8'))
    if (seal === null) return null
    const file = join(folder, name.replace(/\.json$/, '.sqlite'))
    return { file, createdAt: new Date(seal.created_at), bytes: seal.size_bytes, sha256: seal.sha256 }
  } catch {
    // An unreadable file proves nothing.
    return null
  }
}

function isWhole({ file, bytes, sha256 }: Seal): boolean {
  try {
    return statSync(file).size === bytes && digestFile(file).sha256 === sha256
  } catch {
    // The file is missing or unreadable. Try the next backup.
    return false
  }
}
