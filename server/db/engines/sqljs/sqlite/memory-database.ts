import { constants } from 'node:buffer'
import type { SqlJs, SqlJsDatabase } from './sqljs.ts'

export const PAGE_BYTES = 8192
/** 'PDck': the application id in the header of the file. */
export const APPLICATION_ID = 0x5044636b
const MIB = 1024 * 1024

/**
 * The pragmas must be the same when a statement runs and when it is replayed, because cascades and sizes
 * depend on them.
 */
const pragmas = [
  'journal_mode = MEMORY',
  // Nobody else opens this in-memory file. Without locking, a transaction takes 12 µs instead of 43.
  'locking_mode = EXCLUSIVE',
  'synchronous = OFF',
  'foreign_keys = ON',
  'cache_size = -32000',
  // The rollback of a spilled transaction truncates the file, which loses its headroom.
  'cache_spill = OFF',
  'temp_store = MEMORY',
  'recursive_triggers = ON',
]

/** An in-memory database whose file is our own Buffer, with headroom to grow without copying. */
export type MemoryDatabase = {
  readonly connection: SqlJsDatabase
  /** Bytes of pages in use. */
  usedBytes(): number
  fileBytes(): number
  /** The database file as of the last commit. Must not be called during a transaction. */
  bytes(): Uint8Array
  /**
   * Returns false if the engine uses its own copy of the file. Growth then copies the file, and `bytes()`
   * exports it.
   */
  isAttached(): boolean
  close(): void
}

/**
 * Returns the buffer size for a store in bytes: its maximum size and half of it more, or a quarter and 256 MiB if that
 * is less. Pages that are not touched use no memory. A Buffer has at most `constants.MAX_LENGTH` bytes (4 GiB in Node 20).
 */
export function bufferSizeFor(fileBytes: number, limitBytes: number): number {
  const expected = Math.max(fileBytes, limitBytes)
  const wanted = Math.ceil(expected * 1.25 + Math.min(expected / 4, 256 * MIB))
  return Math.max(fileBytes, Math.min(wanted, constants.MAX_LENGTH))
}

/** Allocates `wantedBytes` zeroed bytes. If memory is short, tries with less headroom, down to `minBytes`. */
export function allocateBuffer(minBytes: number, wantedBytes: number): Buffer {
  for (let size = wantedBytes; size > minBytes; size = Math.floor(minBytes + (size - minBytes) / 4)) {
    try {
      return Buffer.alloc(size)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return Buffer.alloc(minBytes)
}

/** Creates an empty database file with our page size and application id. */
export function emptyDatabaseFile(sql: SqlJs): Uint8Array {
  const db = new sql.Database()
  try {
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA application_id = ${APPLICATION_ID}`)
    db.exec('CREATE TABLE store_state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID')
    db.exec(`INSERT INTO store_state (key, value) VALUES ('transaction', 0)`)
    return db.export()
  } finally {
    db.close()
  }
}

/**
 * Opens the database in the first `length` bytes of `buffer`. sql.js uses a Buffer without copying it (its
 * `slice` is a view) and does not enlarge a file that is long enough. That is an implementation detail of
 * sql.js 1.16. So this function checks it, and falls back to a copy.
 */
export function openMemoryDatabase(sql: SqlJs, buffer: Buffer, length: number): MemoryDatabase {
  let db = new sql.Database(buffer)
  let attached = true
  if (readNumber(db, 'page_count') * readNumber(db, 'page_size') !== length) {
    // The header has no page count, because other software wrote the file. SQLite then needs its exact
    // length.
    db.close()
    db = new sql.Database(buffer.subarray(0, length))
    attached = false
  }
  for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`)

  const pageSize = readNumber(db, 'page_size')
  const pages = (): { count: number; free: number } => {
    if (attached) {
      const count = buffer.readUInt32BE(28)
      // If the file outgrows `buffer`, sql.js continues in its own larger copy.
      if (count * pageSize <= buffer.length) return { count, free: buffer.readUInt32BE(36) }
      attached = false
    }
    return { count: readNumber(db, 'page_count'), free: readNumber(db, 'freelist_count') }
  }
  const isAttached = (): boolean => {
    const { count } = pages()
    attached &&=
      readNumber(db, 'page_count') === count && readLastTransaction(sql, buffer) === lastTransactionOf(db)
    return attached
  }
  return {
    connection: db,
    usedBytes() {
      const { count, free } = pages()
      return (count - free) * pageSize
    },
    fileBytes: () => pages().count * pageSize,
    bytes: () => (isAttached() ? buffer.subarray(0, buffer.readUInt32BE(28) * pageSize) : db.export()),
    isAttached,
    close: () => db.close(),
  }
}

/** Returns the number of the last transaction in the database, see `stampTransaction`. */
export function lastTransactionOf(db: SqlJsDatabase): unknown {
  return db.exec(`SELECT value FROM store_state WHERE key = 'transaction'`)[0]?.values[0]?.[0]
}

/** Returns the same number from the bytes in `buffer`, through a second connection. */
function readLastTransaction(sql: SqlJs, buffer: Buffer): unknown {
  const db = new sql.Database(buffer)
  try {
    return lastTransactionOf(db)
  } finally {
    db.close()
  }
}

export function readNumber(db: SqlJsDatabase, pragma: string): number {
  return Number(db.exec(`PRAGMA ${pragma}`)[0]?.values[0]?.[0] ?? 0)
}
