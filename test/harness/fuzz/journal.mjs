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
  sealRecord,
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
/**
 * Creates targets for the decoders of the journal.
 * @param {string} folder @returns {Record<string, import('./targets.mjs').Target>}
 */
export function createJournalTargets(folder) {
  const salt = 0x1234abcd
  const known = new Map()
  /** @type {Buffer[]} */
  const records = []
  for (let transaction = 1; transaction <= 4; transaction += 1) {
    const { record, added } = encodeOperations(operations, known, FRAME_BYTES)
    for (const text of added) known.set(text, known.size)
    sealRecord(record, transaction, salt)
    records.push(record)
  }
  const length = records.reduce((sum, { length: bytes }) => sum + bytes, 0)
  const segment = Buffer.alloc(RECORDS_AT + length + 64)
  encodeHeader({ salt, sequence: 3, capacity: segment.length, epoch: 2, instance: 9 }).copy(segment)
  const mark = encodeMark(
    { count: 1, start: 0, offset: RECORDS_AT + length, transaction: 4, isClosed: true },
    salt,
  )
  mark.bytes.copy(segment, mark.at)
  let at = RECORDS_AT
  for (const record of records) at += record.copy(segment, at)
  const originals = new Set(records.map((record) => record.subarray(FRAME_BYTES).toString('latin1')))
  const file = join(folder, fileNames.segment(3))

  /** @param {Buffer} bytes @param {boolean} mayDiffer */
  const readBack = (bytes, mayDiffer) => {
    writeFileSync(file, bytes)
    const found = readSegment(file)
    if (found === undefined) return null
    let last = found.mark?.start ?? 0
    const dictionary = new Map()
    for (const record of recordsOf(found)) {
      if (record.transaction !== last + 1) return `transaction ${record.transaction} after ${last}`
      last = record.transaction
      if (!mayDiffer && !originals.has(record.body.toString('latin1')))
        return 'a changed record passed its checksum'
      try {
        decodeOperations(record.body, dictionary)
      } catch (error) {
        if (!mayDiffer) return `a sound record does not decode: ${error}`
      }
    }
    return null
  }

  /** Recomputes every checksum after a change. @param {Buffer} bytes */
  const repaired = (bytes) => {
    if (bytes.length < RECORDS_AT) return bytes
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24)
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44)
    const seed = bytes.readUInt32LE(8)
    for (const slot of [512, 1024])
      bytes.writeUInt32LE(crc32(bytes.subarray(slot, slot + 36), seed), slot + 36)
    for (let place = RECORDS_AT; place + FRAME_BYTES <= bytes.length; ) {
      const end = Math.min(bytes.length, place + FRAME_BYTES + bytes.readUInt32LE(place))
      const record = bytes.subarray(place, end)
      record.writeUInt32LE(crc32(record.subarray(8), crc32(record.subarray(0, 4), seed)), 4)
      place = end
    }
    return bytes
  }

  // The harness would prove nothing if the original journal were rejected.
  const problem = readBack(segment, false)
  if (problem !== null || readSegment(file) === undefined)
    throw new Error(`the journal cannot be read back: ${problem}`)

  return {
    journal: (random) => readBack(mutateBytes(random, segment), false),
    'journal, checksums repaired': (random) => readBack(repaired(mutateBytes(random, segment)), true),
    operations(random) {
      const bytes = mutateBytes(
        random,
        (records[random() < 0.5 ? 0 : 1] ?? Buffer.alloc(0)).subarray(FRAME_BYTES),
      )
      let read
      try {
        read = decodeOperations(bytes, new Map([...known].map(([sql, number]) => [number, sql])))
      } catch (error) {
        return error instanceof Error && !(error instanceof TypeError) ? null : `threw ${error}`
      }
      const again = decodeOperations(encodeOperations(read, new Map()).record, new Map())
      return JSON.stringify(again) === JSON.stringify(read) ? null : 'what was read is written otherwise'
    },
  }
}
