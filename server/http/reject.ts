import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from '../lib/fail.ts'
import { problemBody, problemHeaders } from './problem.ts'
import { apiHeaderValues } from './security-headers.ts'

/**
 * Sends problem+json on a connection without a response object, and ends it. Pass `onSent` to leave the
 * client time to read; by default the socket is destroyed.
 */
export function rejectConnection(
  socket: Duplex,
  problem: Problem,
  instance: string,
  onSent = () => void socket.destroy(),
): void {
  const requestId = `req_${randomUUID()}`
  const body = JSON.stringify(problemBody(problem, instance, requestId))
  const headers = {
    ...apiHeaderValues,
    ...problemHeaders(problem),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`
  socket.end(`${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, onSent)
}
