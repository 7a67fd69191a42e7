import { createHash, randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type BackupSeal, parseSeal } from '../../db/backup-seal.ts'
import { syncFolderAsync } from '../../disk/durable.ts'
import { mkdir, readdir, readFile, rename, rm, stat } from '../../disk/promises.ts'
import { createReadStream } from '../../disk/streams.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'

const idPattern = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/
const unsealedEnd = '.unsealed.tmp'
/** Unfinished files of a backup or its seal. */
const temporaryPattern = /^\d{8}T\d{6}Z-[0-9a-f]{8}\..*tmp$/

export type BackupFile = {
  readonly id: string
  readonly createdAt: Date
  readonly sizeBytes: number
  /** True if the content matches the checksum in the seal file. */
  readonly verified: boolean
  /** False if the file or its seal could not be read. Its content is unknown, and `sequence` is 0. */
  readonly isReadable: boolean
  /** 0 for backups of versions that did not count them. */
  readonly sequence: number
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const nullIfMissing = (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return null
  throw error
}

type Folder = {
  readonly path: string
  /** The file attributes when a backup was last hashed, and the hash, by id. */
  readonly hashes: Map<string, { readonly attributes: string; readonly sha256: string }>
}

const fileOf = ({ path }: Folder, id: string) => join(path, `${id}.sqlite`)
const sealOf = ({ path }: Folder, id: string) => join(path, `${id}.json`)
/** The content until it is sealed. */
const unsealedOf = ({ path }: Folder, id: string) => join(path, `${id}${unsealedEnd}`)

/** A store of backups as files in one folder: `<id>.sqlite`, and `<id>.json` with the checksum (the seal). */
export function createBackupStore(path: string) {
  const folder: Folder = { path, hashes: new Map() }
  return {
    fileOf: (id: string) => fileOf(folder, id),
    unsealedOf: (id: string) => unsealedOf(folder, id),
    list: (rehash = false) => list(folder, rehash),
    newId: (now: Date) => `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(4).toString('hex')}`,
    async prepare(): Promise<void> {
      const created = await mkdir(path, { recursive: true, mode: 0o700 })
      if (created !== undefined) await syncFolderAsync(dirname(path))
    },
    /**
     * Removes the files of an interrupted backup. Call only at start, when nothing is being written. The files do no harm,
     * so a failure must not prevent the start.
     */
    async removeTemporary(onFailed: (err: unknown) => void): Promise<void> {
      try {
        const unfinished = (await names(folder)).filter((name) => temporaryPattern.test(name))
        // The process may have ended after it wrote the seal, and before the content got its name.
        const temporary = unfinished.flatMap((name) =>
          name.endsWith(unsealedEnd) ? [name.replace(unsealedEnd, '.json'), name] : [name],
        )
        for (const name of temporary) await rm(join(path, name), { force: true }).catch(onFailed)
        if (temporary.length > 0) await syncFolderAsync(path)
      } catch (error) {
        onFailed(error)
      }
    },
    /**
     * Writes the seal of the content at `unsealedOf`, then gives the content its name: an interrupted backup is never
     * listed.
     */
    async seal(id: string, createdAt: Date): Promise<void> {
      const sequence = Math.max(0, ...(await list(folder)).map((file) => file.sequence)) + 1
      const unsealed = unsealedOf(folder, id)
      const sha256 = await sha256Of(unsealed)
      const { size } = await stat(unsealed)
      const seal: BackupSeal = { created_at: createdAt.getTime(), size_bytes: size, sha256, sequence }
      await replaceFile(sealOf(folder, id), JSON.stringify(seal))
      await rename(unsealed, fileOf(folder, id))
      await syncFolderAsync(path)
      folder.hashes.set(id, { attributes: await attributesOf(folder, id), sha256 })
    },
    async find(id: string): Promise<BackupFile | null> {
      return idPattern.test(id) ? read(folder, id) : null
    },
    /** Renames first, so that the next start completes an interrupted deletion. */
    async remove(id: string): Promise<void> {
      folder.hashes.delete(id)
      await rename(fileOf(folder, id), unsealedOf(folder, id)).catch(() => {})
      await rm(sealOf(folder, id), { force: true })
      await rm(`${sealOf(folder, id)}.tmp`, { force: true })
      await rm(fileOf(folder, id), { force: true })
      await rm(unsealedOf(folder, id), { force: true })
      await syncFolderAsync(path)
    },
  }
}

export type BackupStore = ReturnType<typeof createBackupStore>

async function attributesOf(folder: Folder, id: string): Promise<string> {
  const { size, mtimeMs, ctimeMs, ino } = await stat(fileOf(folder, id))
  return [size, mtimeMs, ctimeMs, ino].join()
}

/**
 * Returns the hash of a backup. Reads the file only if it changed since it was last hashed, or if `rehash`.
 * `ctime` cannot be set by a program.
 */
async function hashOf(folder: Folder, id: string, rehash: boolean): Promise<string> {
  const attributes = await attributesOf(folder, id)
  const known = folder.hashes.get(id)
  if (!rehash && known?.attributes === attributes) return known.sha256
  const sha256 = await sha256Of(fileOf(folder, id))
  folder.hashes.set(id, { attributes, sha256 })
  return sha256
}

async function readOrThrow(folder: Folder, id: string, rehash: boolean): Promise<BackupFile | null> {
  const info = await stat(fileOf(folder, id)).catch(nullIfMissing)
  // A folder with the name of a backup is none.
  if (!info?.isFile()) return null
  const text = await readFile(sealOf(folder, id), 'utf8').catch(nullIfMissing)
  const seal = text === null ? null : parseSeal(text)
  // A file of another size cannot match, so it is not read.
  const isVerified =
    seal !== null && seal.size_bytes === info.size && (await hashOf(folder, id, rehash)) === seal.sha256
  return {
    id,
    createdAt: seal === null ? timeOf(id) : new Date(seal.created_at),
    sizeBytes: info.size,
    verified: isVerified,
    isReadable: true,
    sequence: seal?.sequence ?? 0,
  }
}

/** Returns null if the backup does not exist. One that cannot be read must not hide the others. */
async function read(folder: Folder, id: string, rehash = false): Promise<BackupFile | null> {
  try {
    return await readOrThrow(folder, id, rehash)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { id, createdAt: timeOf(id), sizeBytes: 0, verified: false, isReadable: false, sequence: 0 }
  }
}

const names = async ({ path }: Folder): Promise<string[]> => (await readdir(path).catch(nullIfMissing)) ?? []

/** Returns backups newest first by sequence, which does not depend on the clock. */
async function list(folder: Folder, rehash = false): Promise<BackupFile[]> {
  const ids = (await names(folder))
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => name.slice(0, -'.sqlite'.length))
  const files: BackupFile[] = []
  // One at a time, because each may be read completely.
  for (const id of ids.filter((name) => idPattern.test(name))) {
    const file = await read(folder, id, rehash)
    if (file !== null) files.push(file)
  }
  return files.toSorted(
    (a, b) =>
      b.sequence - a.sequence || b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
  )
}

/** Returns the time in an id such as `20261121T093000Z-…`; the epoch if it is not valid. */
function timeOf(id: string): Date {
  const iso = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\dZ).*/, '$1-$2-$3T$4:$5:$6')
  return new Date(Date.parse(iso) || 0)
}
