// @ts-check
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import initSqlJs from 'sql.js'
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
import { pick } from '../lib/random.mjs'

/** @typedef {null | number | string | Uint8Array} Value */
/** @typedef {{ sql: string, parameters: Value[] }} Operation */

const texts = ['', 'a', 'ü🧪', "it's", '\u0001', '返金', 'x'.repeat(300), '1', ' 1', '1e3']

/** @param {() => number} random @returns {Value} */
const anyNumber = (random) => pick(random, [null, 0, -1, 2 ** 31, -(2 ** 52), Math.floor(random() * 1000)])
/** @param {() => number} random @returns {Value} */
const anyReal = (random) => pick(random, [null, 0, 0.1, -1.5e-300, 1e300, 2 ** 40, random() * 1000])
/** @param {() => number} random @returns {Value} */
const anyText = (random) => pick(random, [null, ...texts])
/** @param {() => number} random @returns {Value} */
const anyBytes = (random) =>
  pick(random, [null, new Uint8Array(), new Uint8Array([0, 255, Math.floor(random() * 256)])])

/**
 * Returns a random workload over two tables.
 * @param {() => number} random @param {number} statements @returns {Operation[]}
 */
function workload(random, statements) {
  /** @type {Operation[]} */
  const all = [
    { sql: 'CREATE TABLE a (id INTEGER PRIMARY KEY, x INTEGER, y TEXT, z REAL) STRICT', parameters: [] },
    {
      sql: 'CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT, a_id INTEGER, body BLOB, UNIQUE (a_id, body)) STRICT',
      parameters: [],
    },
    { sql: 'CREATE INDEX a_x ON a (x, id)', parameters: [] },
  ]
  const id = () => Math.floor(random() * 60)
  for (let count = 0; count < statements; count += 1)
    all.push(
      pick(random, [
        () => ({
          sql: 'INSERT OR REPLACE INTO a (id, x, y, z) VALUES (?, ?, ?, ?)',
          parameters: [id(), anyNumber(random), anyText(random), anyReal(random)],
        }),
        () => ({
          sql: 'INSERT OR IGNORE INTO b (a_id, body) VALUES (?, ?)',
          parameters: [id(), anyBytes(random)],
        }),
        () => ({
          sql: 'UPDATE a SET x = ?, z = coalesce(z, 0) + ? WHERE id % 7 = ?',
          parameters: [anyNumber(random), random(), id() % 7],
        }),
        () => ({
          sql: 'UPDATE a SET y = y || ? WHERE x > ?',
          parameters: [pick(random, texts.slice(0, 4)), anyNumber(random)],
        }),
        () => ({ sql: 'DELETE FROM a WHERE id IN (?, ?, ?)', parameters: [id(), id(), id()] }),
        () => ({
          sql: 'DELETE FROM b WHERE a_id NOT IN (SELECT id FROM a) AND id % 5 = ?',
          parameters: [id() % 5],
        }),
        () => ({
          sql: 'INSERT INTO a (id, x) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET x = excluded.x, y = lower(y)',
          parameters: [id(), anyNumber(random)],
        }),
        () => ({
          sql: 'UPDATE b SET a_id = a_id + 1 WHERE a_id = ? AND NOT EXISTS (SELECT 1 FROM b AS o WHERE o.a_id = b.a_id + 1)',
          parameters: [id()],
        }),
      ])(),
    )
  return all
}

/** Writes the workload as a journal and reads it back. @param {() => number} random @param {string} folder @param {Operation[]} all */
function throughJournal(random, folder, all) {
  const salt = 77
  const known = new Map()
  /** @type {Buffer[]} */
  const records = []
  for (let at = 0; at < all.length; ) {
    const size = 1 + Math.floor(random() * 6)
    const { record, added } = encodeOperations(all.slice(at, at + size), known, FRAME_BYTES)
    for (const text of added) known.set(text, known.size)
    writeFrame(record, records.length + 1, salt)
    records.push(record)
    at += size
  }
  const body = Buffer.concat(records)
  const bytes = Buffer.concat([Buffer.alloc(RECORDS_AT), body])
  encodeHeader({ salt, sequence: 1, capacity: bytes.length, epoch: 1, instance: 1 }).copy(bytes)
  const mark = encodeMark(
    { count: 1, start: 0, offset: bytes.length, transaction: records.length, isClosed: true },
    salt,
  )
  mark.bytes.copy(bytes, mark.at)
  const file = join(folder, fileNames.segment(1))
  writeFileSync(file, bytes)
  const segment = readSegment(file)
  if (segment === undefined) throw new Error('the journal cannot be read back')
  const dictionary = new Map()
  return [...recordsOf(segment)].flatMap((record) => decodeOperations(record.body, dictionary))
}

/** Formats a value with its storage class, without loss. @param {unknown} value @param {unknown} type */
function format(value, type) {
  if (value instanceof Uint8Array) return `b:${Buffer.from(value).toString('hex')}`
  if (type === 'real') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(Number(value))
    return `f:${bytes.toString('hex')}`
  }
  return type === 'null' ? 'n:' : `${type === 'text' ? 's' : 'i'}:${value}`
}

/** Compares replay with native SQLite, statement by statement. @param {() => number} random @param {string} folder @param {number} statements @returns {Promise<{ statements: number, wrong: string | null }>} */
export async function compareReplay(random, folder, statements) {
  const all = throughJournal(random, folder, workload(random, statements))
  const sql = await initSqlJs()
  const db = new sql.Database()
  const child = spawn('python3', [fileURLToPath(new URL('./native.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONUTF8: '1' },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** @type {string[]} */
  const tables = []
  let wrong = null
  let done = 0
  for (const { sql: text, parameters } of all) {
    db.run(text, /** @type {any} */ (parameters))
    const changed = db.getRowsModified()
    if (text.startsWith('CREATE TABLE')) tables.push(text.split(' ')[2] ?? '')
    const digest = createHash('sha256')
    for (const table of tables) {
      const rows = db.exec(`SELECT ${columns(table)} FROM ${table} ORDER BY id`)[0]?.values ?? []
      for (const row of rows)
        digest.update(
          `${row.flatMap((value, at) => (at % 2 === 0 ? [format(value, row[at + 1])] : [])).join('|')}\n`,
        )
    }
    child.stdin.write(
      `${JSON.stringify([text, parameters.map((value) => (value instanceof Uint8Array ? { blob: Buffer.from(value).toString('base64') } : value))])}\n`,
    )
    const [native, hash] = JSON.parse((await lines.next()).value ?? '[]')
    const isChange = /^(?:INSERT|UPDATE|DELETE)/.test(text)
    if ((isChange && native !== changed) || hash !== digest.digest('hex')) {
      wrong = `statement ${done}: ${text} ${JSON.stringify(parameters)}: changed ${changed}, native ${native}`
      break
    }
    done += 1
  }
  child.stdin.end()
  await once(child, 'close')
  db.close()
  return { statements: done, wrong }
}

/** Returns all columns, each followed by its storage class. @param {string} table */
const columns = (table) =>
  (table === 'a' ? ['id', 'x', 'y', 'z'] : ['id', 'a_id', 'body'])
    .map((name) => `${name}, typeof(${name})`)
    .join(', ')
