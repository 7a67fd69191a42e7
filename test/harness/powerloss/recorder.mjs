// @ts-check
/**
 * Preload of the power-loss harness: appends every file call on the data folder to the log RECORD_LOG. An
 * append with one write is atomic, so the order is total over all threads and processes. A call is logged
 * before it is made. Its end is logged only for an open (the descriptor) and a completed sync.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { setDiskHook } from '../../../dist/server/disk/hook.js'

const withoutDurableChange = new Set([
  'access',
  'chmod',
  'exists',
  'fchmod',
  'fstat',
  'lstat',
  // Creates a folder for a socket, which does not survive a power loss.
  'mkdtemp',
  'read',
  'readFile',
  'readdir',
  'readlink',
  'realpath',
  'stat',
])
const callsWithEnd = new Set(['open', 'fsync', 'fdatasync', 'writeFile'])

const { RECORD_LOG: log, RECORD_FOLDER: folder } = process.env
if (log === undefined || folder === undefined) throw new Error('RECORD_LOG and RECORD_FOLDER are not set')
const handle = openSync(log, 'a')
process.on('exit', () => closeSync(handle))

/** @type {WeakMap<object, string>} */
const begun = new WeakMap()
let count = 0

/** @param {Record<string, unknown>} head @param {Uint8Array} [data] */
function append(head, data) {
  const isZero = data !== undefined && data.length > 0 && Buffer.from(data).equals(Buffer.alloc(data.length))
  const bytes = data === undefined || isZero ? Buffer.alloc(0) : data
  const line = { ...head, ...(isZero && { zeros: data.length }), bytes: bytes.length }
  writeSync(handle, Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), bytes, Buffer.from('\n')]))
}

const bytesOf = (/** @type {unknown} */ value) =>
  value instanceof Uint8Array ? value : Buffer.from(typeof value === 'string' ? value : '')

/**
 * Returns the data of a write and its position; null position: after the last write.
 * @param {string} call @param {readonly any[]} args
 */
function written(call, args) {
  if (call === 'writeFile') return { data: bytesOf(args[1]), position: null }
  if (call === 'writev') return { data: Buffer.concat(args[1].map(bytesOf)), position: args[2] ?? null }
  const [, content, offset, length, position] = args
  if (typeof content === 'string') return { data: Buffer.from(content), position: offset ?? null }
  if (typeof offset === 'object' && offset !== null) {
    const { offset: from = 0, length: size = content.length - from, position: at = null } = offset
    return { data: content.subarray(from, from + size), position: at }
  }
  const from = offset ?? 0
  return {
    data: content.subarray(from, from + (length ?? content.length - from)),
    position: position ?? null,
  }
}

setDiskHook({
  before(operation) {
    const { call, path, args } = operation
    if (withoutDurableChange.has(call) || !(path === folder || path.startsWith(`${folder}/`))) return
    count += 1
    const id = `${process.pid}.${threadId}.${count}`
    begun.set(operation, id)
    const [first, second] = args
    const head = {
      call,
      id,
      process: process.pid,
      path: path.slice(folder.length),
      ...(typeof first === 'number' && { fd: first }),
    }
    if (call === 'write' || call === 'writev' || call === 'writeFile') {
      const { data, position } = written(call, args)
      const options = { flush: /** @type {any} */ (args[2])?.flush === true }
      append({ ...head, position, options }, data)
    } else if (call === 'rename' || call === 'link')
      append({ ...head, to: String(second).slice(folder.length) })
    else if (call === 'ftruncate') append({ ...head, size: Number(second ?? 0) })
    else if (call === 'open') append({ ...head, flags: String(second) })
    else if (call === 'mkdir' || call === 'rm') append({ ...head, options: second })
    else append(head)
  },
  after(operation, opened) {
    const id = begun.get(operation)
    if (id === undefined || !callsWithEnd.has(operation.call)) return
    append({
      call: `${operation.call}.end`,
      id,
      process: process.pid,
      ...(opened !== undefined && { opened }),
    })
  },
})
