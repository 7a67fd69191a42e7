import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { digestFile } from '../../../../disk/digest.ts'
import { syncFolder, temporaryOf, writeFileDurably } from '../../../../disk/durable.ts'
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from '../../../../disk/fs.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { isNoMemory, StoreError } from '../../../errors.ts'
import { fileNames } from '../format/folder.ts'
import { assertOwned, type Fence } from '../lock/fence.ts'
import {
  APPLICATION_ID,
  allocateBuffer,
  bufferSizeFor,
  lastTransactionOf,
  type MemoryDatabase,
  openMemoryDatabase,
  PAGE_BYTES,
  readNumber,
} from '../sqlite/memory-database.ts'
import type { SqlJs } from '../sqlite/sqljs.ts'

/** The description of a snapshot, which reveals damage before the snapshot is opened. */
export type Sidecar = {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  /** Checksum of the whole file. A start compares this, because it is ten times as fast as the sha256. */
  readonly crc32: number
  /** The last transaction in the snapshot. */
  readonly transaction: number
  readonly schema: number
  readonly made_at: string
}

/** Bytes per sync. One large fsync would delay those of the journal. */
const CHUNK_BYTES = 4 * 1024 * 1024

/**
 * Writes `bytes` to a temporary file, reads them back, and renames the file if they match. Returns their
 * sha256.
 */
export function writeVerified(
  file: string,
  bytes: Uint8Array,
  fence: Fence,
  beforeRename?: (sha256: string) => void,
): string {
  const temporary = temporaryOf(file)
  try {
    const handle = openSync(temporary, 'w', 0o600)
    const written = createHash('sha256')
    try {
      for (let at = 0; at < bytes.length; ) {
        const end = Math.min(at + CHUNK_BYTES, bytes.length)
        const start = at
        while (at < end) at += writeSync(handle, bytes, at, end - at, at)
        written.update(bytes.subarray(start, end))
        fdatasyncSync(handle)
      }
    } finally {
      closeSync(handle)
    }
    const sha256 = written.digest('hex')
    const found = digestFile(temporary)
    if (found.bytes !== bytes.length || found.sha256 !== sha256) {
      throw new Error(`${basename(file)} differs after it was written and read back; the disk may be faulty`)
    }
    assertOwned(fence)
    beforeRename?.(sha256)
    assertOwned(fence)
    renameSync(temporary, file)
    syncFolder(dirname(file))
    return sha256
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Writes a snapshot and its sidecar. The sidecar is written first, so that no snapshot lacks one. */
export function writeSnapshot(options: {
  readonly folder: string
  readonly generation: number
  readonly database: MemoryDatabase
  readonly transaction: number
  readonly now: Date
  readonly fence: Fence
  /** Runs after the sidecar is durable, before the snapshot is renamed. */
  readonly beforeRename?: () => void
}): Sidecar {
  const { folder, generation, database, transaction } = options
  stampTransaction(database, transaction)
  const bytes = database.bytes()
  const name = fileNames.snapshot(generation)
  let sidecar: Sidecar | undefined
  writeVerified(join(folder, name), bytes, options.fence, (sha256) => {
    const schema = readNumber(database.connection, 'user_version')
    const made_at = options.now.toISOString()
    sidecar = { file: name, bytes: bytes.length, sha256, crc32: crc32(bytes), transaction, schema, made_at }
    writeFileDurably(folder, fileNames.sidecar(generation), `${JSON.stringify(sidecar, null, 2)}\n`)
    options.beforeRename?.()
  })
  if (sidecar === undefined) throw new Error('a snapshot without its sidecar')
  return sidecar
}

/** Writes the number of the last transaction into the database, so that backups contain it. */
export function stampTransaction(database: MemoryDatabase, transaction: number): void {
  database.connection.run(`UPDATE store_state SET value = ? WHERE key = 'transaction'`, [transaction])
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** Without zod, which takes longer to load than the rest. */
const isSidecar = (value: Record<keyof Sidecar, unknown> | null): value is Sidecar =>
  [value?.bytes, value?.crc32, value?.transaction, value?.schema].every(isCount) &&
  [value?.file, value?.sha256, value?.made_at].every((text) => typeof text === 'string')

/** Reads a sidecar. Returns undefined if it is missing or damaged. */
export function readSidecar(folder: string, generation: number): Sidecar | undefined {
  try {
    const sidecar = JSON.parse(readFileSync(join(folder, fileNames.sidecar(generation)), 'utf8'))
    return isSidecar(sidecar) ? sidecar : undefined
  } catch {
    // Missing or damaged. The snapshot is then checked without it.
    return undefined
  }
}

export type LoadedDatabase = {
  readonly database: MemoryDatabase
  readonly transaction: number
  readonly schema: number
  readonly crc32: number
}

/**
 * Reads a database file into memory and compares it with `sidecar` if given. Throws a `StoreError` if the
 * file is not valid.
 */
export function loadDatabaseFile(
  sql: SqlJs,
  file: string,
  limitBytes: number,
  sidecar?: Sidecar,
): LoadedDatabase {
  const handle = openSync(file, 'r')
  try {
    const length = fstatSync(handle).size
    if (sidecar !== undefined && sidecar.bytes !== length) {
      throw damaged(file, `it has ${length} bytes and should have ${sidecar.bytes}`)
    }
    const buffer = allocateBuffer(length, bufferSizeFor(length, limitBytes))
    const checksum = readInto(handle, buffer, length)
    if (sidecar !== undefined && sidecar.crc32 !== checksum)
      throw damaged(file, 'its content changed since it was written')
    if (length < PAGE_BYTES / 16 || buffer.toString('latin1', 0, 15) !== 'SQLite format 3') {
      throw damaged(file, 'it is not an SQLite database')
    }
    return { ...inspect(sql, file, buffer, length), crc32: checksum }
  } finally {
    closeSync(handle)
  }
}

function inspect(sql: SqlJs, file: string, buffer: Buffer, length: number): Omit<LoadedDatabase, 'crc32'> {
  let database: MemoryDatabase | undefined
  try {
    database = openMemoryDatabase(sql, buffer, length)
    if (readNumber(database.connection, 'application_id') !== APPLICATION_ID) {
      throw new StoreError('not_a_store', `${file} is an SQLite database, but not one of Promptdeck.`)
    }
    const transaction = lastTransactionOf(database.connection)
    if (typeof transaction !== 'number') throw damaged(file, 'it does not say which transaction it ends with')
    return { database, transaction, schema: readNumber(database.connection, 'user_version') }
  } catch (error) {
    database?.close()
    throw error instanceof StoreError || isNoMemory(error) ? error : damaged(file, messageOf(error))
  }
}

/**
 * Throws if the structure of the database is damaged. `quick_check` does not compare indexes with their
 * tables.
 */
export function checkDatabase(
  database: MemoryDatabase,
  file: string,
  pragma: 'quick_check' | 'integrity_check',
): void {
  let found: string
  try {
    found = String(database.connection.exec(`PRAGMA ${pragma}(3)`)[0]?.values.flat().join('; '))
  } catch (error) {
    if (isNoMemory(error)) throw error
    found = messageOf(error)
  }
  if (found !== 'ok') throw damaged(file, found)
}

function readInto(handle: number, buffer: Buffer, length: number): number {
  let checksum = 0
  for (let at = 0; at < length; ) {
    const count = readSync(handle, buffer, at, Math.min(CHUNK_BYTES, length - at), at)
    if (count === 0) throw new Error('the file ends early')
    checksum = crc32(buffer.subarray(at, at + count), checksum)
    at += count
  }
  return checksum
}

function damaged(file: string, reason: string): StoreError {
  return new StoreError('damaged', `${basename(file)} is damaged: ${reason}.`)
}
