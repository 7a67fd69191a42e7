// @ts-check
import { appendFileSync, readFileSync } from 'node:fs'

/**
 * One line of the log: a file call of the service, or an entry of the client (`call: 'client'`).
 * @typedef {{ call: string, id?: string, process: number, path?: string, to?: string, fd?: number, flags?: string, position?: number | null, size?: number, opened?: number, options?: any, zeros?: number, what?: any, data: Buffer }} Entry
 */

/** Appends a request or an acknowledgement of the client. @param {string} log @param {object} what */
export function note(log, what) {
  appendFileSync(log, `${JSON.stringify({ call: 'client', process: process.pid, what, bytes: 0 })}\n\n`)
}

/** @param {string} log @returns {Entry[]} */
export function readLog(log) {
  const bytes = readFileSync(log)
  const entries = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const { bytes: length, ...head } = JSON.parse(bytes.toString('utf8', at, end))
    const data = head.zeros ? Buffer.alloc(head.zeros) : bytes.subarray(end + 1, end + 1 + length)
    entries.push({ ...head, data })
    at = end + 1 + length + 1
  }
  return entries
}
