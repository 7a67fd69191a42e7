import { constants } from 'node:buffer'
import type { SqlJs, SqlJsDatabase } from './sqljs.ts'

export const PAGE_BYTES = 8192
/** 'PDck': what `file` and SQLite tools show as the application of the file. */
export const APPLICATION_ID = 0x5044636b
const MIB = 1024 * 1024

/** The same wherever a statement runs or is replayed; with other settings cascades and sizes would differ. */
const pragmas = [
  'journal_mode = MEMORY',
  // Nobody else opens the file in memory; without the lock dance a transaction takes 12 µs instead of 43.
  'locking_mode = EXCLUSIVE',
  'synchronous = OFF',
  'foreign_keys = ON',
  'cache_size = -32000',
  // A spilled transaction that rolls back truncates the file, and with it the head-room goes.
  'cache_spill = OFF',
  'temp_store = MEMORY',
  'recursive_triggers = ON',
]

/** A database in memory whose file is a Buffer of ours, with room to grow where it lies. */
export type Image = {
  readonly db: SqlJsDatabase
  /** Bytes in use by pages that hold something. */
  usedBytes(): number
  fileBytes(): number
  /** The database file as of the last commit. Never call it with a transaction open. */
  bytes(): Uint8Array
  /** False when the engine works on a copy of its own: growth copies, `bytes()` exports. */
  isAttached(): boolean
  close(): void
}

/**
 * How large the buffer of a store is: what it may grow to, and a quarter more. Untouched pages of it cost no memory.
 * A Buffer ends at `constants.MAX_LENGTH` (4 GiB in Node 20).
 */
export function roomFor(fileBytes: number, limitBytes: number): number {
  const wanted = Math.ceil(Math.max(fileBytes, limitBytes) * 1.25) + 256 * MIB
  return Math.max(fileBytes, Math.min(wanted, constants.MAX_LENGTH))
}

/** Zeroed memory of `wanted` bytes, or as much less head-room as the machine has. */
export function reserve(atLeast: number, wanted: number): Buffer {
  for (let size = wanted; size > atLeast; size = Math.floor(atLeast + (size - atLeast) / 4)) {
    try {
      return Buffer.alloc(size)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return Buffer.alloc(atLeast)
}

/** A new, empty file of our page size and application. */
export function emptyFile(sql: SqlJs): Uint8Array {
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
 * Opens the database that lies in the first `length` bytes of `room`. sql.js takes a Buffer without copying it (its
 * `slice` is a view) and never grows a file that is long enough. That is an implementation detail of 1.16, so it is
 * checked: when the engine does not see our bytes the plain ways are used instead.
 */
export function openImage(sql: SqlJs, room: Buffer, length: number): Image {
  let db = new sql.Database(room)
  let attached = true
  if (readNumber(db, 'page_count') * readNumber(db, 'page_size') !== length) {
    // Written by something that left no page count in the header: the file's length must tell it.
    db.close()
    db = new sql.Database(room.subarray(0, length))
    attached = false
  }
  for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`)

  const pageSize = readNumber(db, 'page_size')
  const pages = (): { count: number; free: number } => {
    if (attached) {
      const count = room.readUInt32BE(28)
      // Beyond the room sql.js went on in a larger copy of its own, and never comes back.
      if (count * pageSize <= room.length) return { count, free: room.readUInt32BE(36) }
      attached = false
    }
    return { count: readNumber(db, 'page_count'), free: readNumber(db, 'freelist_count') }
  }
  const isAttached = (): boolean => {
    const { count } = pages()
    attached &&= readNumber(db, 'page_count') === count && readState(sql, room) === stateOf(db)
    return attached
  }
  return {
    db,
    usedBytes() {
      const { count, free } = pages()
      return (count - free) * pageSize
    },
    fileBytes: () => pages().count * pageSize,
    bytes: () => (isAttached() ? room.subarray(0, room.readUInt32BE(28) * pageSize) : db.export()),
    isAttached,
    close: () => db.close(),
  }
}

/** The number of the last transaction written into the database, see `stampTransaction`. */
export function stateOf(db: SqlJsDatabase): unknown {
  return db.exec(`SELECT value FROM store_state WHERE key = 'transaction'`)[0]?.values[0]?.[0]
}

/** The same as the bytes in `room` have it, looked at without the engine that is to be checked. */
function readState(sql: SqlJs, room: Buffer): unknown {
  const db = new sql.Database(room)
  try {
    return stateOf(db)
  } finally {
    db.close()
  }
}

export function readNumber(db: SqlJsDatabase, pragma: string): number {
  return Number(db.exec(`PRAGMA ${pragma}`)[0]?.values[0]?.[0] ?? 0)
}
