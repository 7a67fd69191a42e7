import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeFileDurably } from '../../../../disk/durable.ts'
import {
  closeSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from '../../../../disk/fs.ts'
import { withRemedy } from '../../../../lib/files/remedy.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'

/*
 * store-record.json: the state that the service has acknowledged, outside `store/`. It is a JSON array of two
 * slots of 4096 bytes, written alternately and in place: a torn write leaves the other slot intact, and a
 * write needs no new disk space. The valid slot with the higher count is current.
 */
export const recordName = 'store-record.json'
const SLOT_BYTES = 4096
/** The text of a slot fits into one sector, in bytes. */
const TEXT_BYTES = 512

export type StoreRecord = {
  /** Number of this write, from 1. */
  readonly count: number
  /** The id in store/store.json. */
  readonly store_id: string
  /**
   * The newest segment; `start` is the last transaction before it. Null until the first segment is recorded.
   */
  readonly segment: { readonly sequence: number; readonly salt: number; readonly start: number } | null
  /** The last transaction known to be durable when the record was written. */
  readonly transaction: number
  /** True after a clean stop: `transaction` is then the last one acknowledged. */
  readonly is_clean: boolean
  /** Time of the restore or recovery that the record belongs to, or null. */
  readonly restored_at: string | null
}

export type RecordState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'read'; readonly record: StoreRecord }

function slotText(record: StoreRecord, isFirst: boolean): string {
  const json = JSON.stringify({ crc32: crc32(JSON.stringify(record)), record })
  const text = isFirst ? `[${json},` : `${json}]`
  if (text.length >= TEXT_BYTES) throw new Error('the record of the store does not fit its slot')
  return `${text.padEnd(TEXT_BYTES - 1)}\n`
}

const isFirstSlot = (record: StoreRecord): boolean => record.count % 2 === 0

/** Creates or replaces the file, with the record in both slots. */
export function createRecord(dataDir: string, record: StoreRecord): void {
  const slots = [true, false].map((isFirst) => slotText(record, isFirst).padEnd(SLOT_BYTES))
  writeFileDurably(dataDir, recordName, slots.join(''))
}

/** Removes unfinished records, which killed processes left behind. They do no harm, so failures are ignored. */
export function removeTemporaryRecords(dataDir: string): void {
  const temporary = readdirSync(dataDir).filter((name) => /^store-record\.json\.\w+\.tmp$/.test(name))
  for (const name of temporary) {
    try {
      rmSync(join(dataDir, name), { force: true })
    } catch {
      // The next start tries again.
    }
  }
}

/** Writes the record into its slot and syncs it. Needs no new disk space. */
export function writeRecord(dataDir: string, record: StoreRecord): void {
  let handle: number
  try {
    handle = openSync(join(dataDir, recordName), 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // The file was removed while the service was running.
    createRecord(dataDir, record)
    return
  }
  try {
    const isFirst = isFirstSlot(record)
    const bytes = Buffer.from(slotText(record, isFirst))
    const at = isFirst ? 0 : SLOT_BYTES
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(handle, bytes, done, bytes.length - done, at + done)
    }
    fdatasyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Reads the record. Throws a `StoreError` if the file may be intact but cannot be read. */
export function readRecord(dataDir: string): RecordState {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(dataDir, recordName))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { kind: 'missing' }
    // A bad sector, or a folder in place of the file.
    if (code === 'EIO' || code === 'EISDIR') return { kind: 'damaged' }
    const defaultRemedy =
      'Start again. If the error remains, move it away: the store is then compared with the audit log alone.'
    const message = `${join(dataDir, recordName)} cannot be read: ${messageOf(error)}`
    throw new StoreError('unreadable', withRemedy(message, error, defaultRemedy), { cause: error })
  }
  const [newest] = [0, SLOT_BYTES]
    .map((at) => parseSlot(bytes.toString('utf8', at, at + TEXT_BYTES)))
    .filter((record) => record !== null)
    .sort((a, b) => b.count - a.count)
  return newest === undefined ? { kind: 'damaged' } : { kind: 'read', record: newest }
}

function parseSlot(text: string): StoreRecord | null {
  try {
    const json = text
      .trim()
      .replace(/^\[/, '')
      .replace(/[,\]]$/, '')
    // The checksum proves that the text was written by `slotText`.
    const slot = JSON.parse(json) as { readonly crc32: number; readonly record: StoreRecord }
    return slot.crc32 === crc32(JSON.stringify(slot.record)) ? slot.record : null
  } catch {
    // Torn or damaged. The other slot is used.
    return null
  }
}
