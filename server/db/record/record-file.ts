import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from '../../disk/fs.ts'
import { messageOf, StoreError } from '../errors.ts'
import { writeFileDurably } from '../files.ts'

/*
 * store-record.json: the state that the service has acknowledged, kept outside `store/`. A JSON array of two slots of
 * 4096 bytes, written in turn and in place: a torn write leaves the other slot, and a full disk does not stop a write.
 * The sound slot with the higher count is valid.
 */
export const recordName = 'store-record.json'
const SLOT_BYTES = 4096
/** A slot's text ends within one sector. */
const TEXT_BYTES = 512

export type StoreRecord = {
  /** Number of this write, from 1. */
  readonly count: number
  /** The id in store/store.json. */
  readonly store_id: string
  /** The newest segment; `start` is the last transaction before it. Null until the first segment is recorded. */
  readonly segment: { readonly sequence: number; readonly salt: number; readonly start: number } | null
  /** The last transaction that was known to be durable when the record was written. */
  readonly transaction: number
  /** True: a clean stop wrote it, so `transaction` is the last one acknowledged. */
  readonly is_clean: boolean
  /** Time of the restore or recovery that the record belongs to. */
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

/** Writes the file anew with the record in both slots. */
export function createRecord(dataDir: string, record: StoreRecord): void {
  const slots = [true, false].map((isFirst) => slotText(record, isFirst).padEnd(SLOT_BYTES))
  writeFileDurably(dataDir, recordName, slots.join(''))
}

/** Writes the record into its slot and syncs it. Takes no new room on the disk. */
export function writeRecord(dataDir: string, record: StoreRecord): void {
  let handle: number
  try {
    handle = openSync(join(dataDir, recordName), 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Somebody removed it under the running service.
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

export function readRecord(dataDir: string): RecordState {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(dataDir, recordName))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { kind: 'missing' }
    // A bad sector, or a folder in its place.
    if (code === 'EIO' || code === 'EISDIR') return { kind: 'damaged' }
    const advice = `Start again. If it stays so, move ${recordName} away: the store is then compared with the audit log alone.`
    const message = `${join(dataDir, recordName)} cannot be read: ${messageOf(error)}. ${advice}`
    throw new StoreError('unreadable', message, { cause: error })
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
    // Torn or damaged: the other slot decides.
    return null
  }
}
