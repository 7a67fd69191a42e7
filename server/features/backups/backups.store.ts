import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

const idPattern = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/
/** What is written beside a backup once it was reopened and found sound. */
const Seal = z.object({ created_at: z.int(), size_bytes: z.int(), sha256: z.string() })

export type BackupFile = {
  readonly id: string
  readonly createdAt: Date
  readonly sizeBytes: number
  readonly verified: boolean
}

/** Backups as files of one folder: `<id>.sqlite`, and `<id>.json` that seals it. */
export function createBackupStore(folder: string) {
  const fileOf = (id: string) => join(folder, `${id}.sqlite`)
  const sealOf = (id: string) => join(folder, `${id}.json`)

  const read = async (id: string): Promise<BackupFile | null> => {
    const info = await stat(fileOf(id)).catch(() => null)
    if (!info) return null
    const text = await readFile(sealOf(id), 'utf8').catch(() => null)
    const seal = Seal.safeParse(text === null ? null : parseJson(text))
    const createdAt = seal.success ? new Date(seal.data.created_at) : timeOf(id)
    return {
      id,
      createdAt,
      sizeBytes: info.size,
      verified: seal.success && seal.data.size_bytes === info.size,
    }
  }

  return {
    fileOf,
    newId: (now: Date) => `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}`,
    async prepare(): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
    },
    /** Says that the file was reopened and is whole; written last, so a backup cut off in the middle is never sealed. */
    async seal(id: string, createdAt: Date): Promise<void> {
      const hash = createHash('sha256')
      await pipeline(createReadStream(fileOf(id)), hash)
      const { size } = await stat(fileOf(id))
      const seal = { created_at: createdAt.getTime(), size_bytes: size, sha256: hash.digest('hex') }
      await writeFile(`${sealOf(id)}.tmp`, JSON.stringify(seal), { mode: 0o600, flush: true })
      await rename(`${sealOf(id)}.tmp`, sealOf(id))
    },
    async find(id: string): Promise<BackupFile | null> {
      return idPattern.test(id) ? read(id) : null
    },
    /** Newest first. */
    async list(): Promise<BackupFile[]> {
      const names = await readdir(folder).catch(() => [])
      const ids = names
        .filter((name) => name.endsWith('.sqlite'))
        .map((name) => name.slice(0, -'.sqlite'.length))
      const files = await Promise.all(ids.filter((id) => idPattern.test(id)).map(read))
      return files
        .filter((file) => file !== null)
        .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    },
    async remove(id: string): Promise<void> {
      await rm(sealOf(id), { force: true })
      await rm(fileOf(id), { force: true })
    },
  }
}

export type BackupStore = ReturnType<typeof createBackupStore>

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A damaged seal is no seal.
    return null
  }
}

/** `20261121T093000Z-…` → that instant. */
function timeOf(id: string): Date {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(id)
  if (!parts) return new Date(0)
  const [, year, month, day, hour, minute, second] = parts
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
