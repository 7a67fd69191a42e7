// @ts-check
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { fileNames } from '../../../dist/server/db/engines/sqljs/format/folder.js'
import {
  decodeOperations,
  encodeOperations,
} from '../../../dist/server/db/engines/sqljs/format/operations.js'
import {
  encodeHeader,
  encodeMark,
  FRAME_BYTES,
  RECORDS_AT,
  readSegment,
  recordsOf,
  writeFrame,
} from '../../../dist/server/db/engines/sqljs/format/segment.js'
import { mutateBytes } from './mutate.mjs'

const operations = [
  { sql: 'INSERT INTO runs (id, model) VALUES (?, ?)', parameters: [7, 'gpt-4o'] },
  {
    sql: 'UPDATE runs SET cost = ?, note = ?, body = ? WHERE id = ?',
    parameters: [0.25, null, new Uint8Array([1, 2, 250]), -9],
  },
  { sql: 'DELETE FROM prompts WHERE id = ?', parameters: ['ü🧪'] },
]

const SALT = 0x1234abcd

/** Encodes four records, whose texts are numbered in `known`. @param {Map<string, number>} known */
function encodeRecords(known) {
  /** @type {Buffer[]} */
  const records = []
  for (let transaction = 1; transaction <= 4; transaction += 1) {
    const { record, added } = encodeOperations(operations, known, FRAME_BYTES)
    for (const text of added) known.set(text, known.size)
    writeFrame(record, transaction, SALT)
    records.push(record)
  }
  return records
}

/** Returns a closed segment of the records. @param {readonly Buffer[]} records */
function segmentOf(records) {
  const length = records.reduce((sum, { length: bytes }) => sum + bytes, 0)
  const segment = Buffer.alloc(RECORDS_AT + length + 64)
  encodeHeader({ salt: SALT, sequence: 3, capacity: segment.length, epoch: 2, instance: 9 }).copy(segment)
  const offset = RECORDS_AT + length
  const mark = encodeMark({ count: 1, start: 0, offset, transaction: 4, isClosed: true }, SALT)
  mark.bytes.copy(segment, mark.at)
  let at = RECORDS_AT
  for (const record of records) at += record.copy(segment, at)
  return segment
}

/**
 * Reads a segment back. Returns what is wrong, or null. Without `originals`, checksums prove nothing, so any
 * records may be read.
 * @param {string} file @param {Buffer} bytes @param {ReadonlySet<string> | null} originals Bodies of the
 *   original records.
 */
function readBack(file, bytes, originals) {
  writeFileSync(file, bytes)
  const found = readSegment(file)
  if (found === undefined) return null
  let last = found.mark?.start ?? 0
  const dictionary = new Map()
  for (const record of recordsOf(found)) {
    if (record.transaction !== last + 1) return `transaction ${record.transaction} after ${last}`
    last = record.transaction
    const problem = decodeBody(record.body, dictionary)
    if (originals === null) continue
    if (!originals.has(record.body.toString('latin1'))) return 'a changed record passed its checksum'
    if (problem !== null) return problem
  }
  return null
}

/** @param {Buffer} body @param {Map<number, string>} dictionary */
function decodeBody(body, dictionary) {
  try {
    decodeOperations(body, dictionary)
    return null
  } catch (error) {
    return `an intact record does not decode: ${error}`
  }
}

/** Recomputes every checksum after a change. @param {Buffer} bytes */
function repaired(bytes) {
  if (bytes.length < RECORDS_AT) return bytes
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44)
  const seed = bytes.readUInt32LE(8)
  for (const slot of [512, 1024]) bytes.writeUInt32LE(crc32(bytes.subarray(slot, slot + 36), seed), slot + 36)
  for (let offset = RECORDS_AT; offset + FRAME_BYTES <= bytes.length; ) {
    const end = Math.min(bytes.length, offset + FRAME_BYTES + bytes.readUInt32LE(offset))
    const record = bytes.subarray(offset, end)
    record.writeUInt32LE(crc32(record.subarray(8), crc32(record.subarray(0, 4), seed)), 4)
    offset = end
  }
  return bytes
}

/**
 * Decodes changed operations. What can be decoded must decode to the same after it is encoded again.
 * @param {Buffer} bytes @param {ReadonlyMap<string, number>} known
 */
function decodeAgain(bytes, known) {
  let read
  try {
    read = decodeOperations(bytes, new Map([...known].map(([sql, number]) => [number, sql])))
  } catch (error) {
    return error instanceof Error && !(error instanceof TypeError) ? null : `threw ${error}`
  }
  const again = decodeOperations(encodeOperations(read, new Map()).record, new Map())
  return JSON.stringify(again) === JSON.stringify(read) ? null : 'decoded operations are encoded differently'
}

/**
 * Creates targets for the decoders of the journal.
 * @param {string} folder @returns {Record<string, import('./targets.mjs').Target>}
 */
export function createJournalTargets(folder) {
  const known = new Map()
  const records = encodeRecords(known)
  const segment = segmentOf(records)
  const originals = new Set(records.map((record) => record.subarray(FRAME_BYTES).toString('latin1')))
  const file = join(folder, fileNames.segment(3))

  // The harness would prove nothing if the original journal were rejected.
  const problem = readBack(file, segment, originals)
  if (problem !== null || readSegment(file) === undefined)
    throw new Error(`the journal cannot be read back: ${problem}`)

  return {
    journal: (random) => readBack(file, mutateBytes(random, segment), originals),
    'journal, checksums repaired': (random) => readBack(file, repaired(mutateBytes(random, segment)), null),
    operations(random) {
      const record = records[random() < 0.5 ? 0 : 1] ?? Buffer.alloc(0)
      return decodeAgain(mutateBytes(random, record.subarray(FRAME_BYTES)), known)
    },
  }
}
