import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { problemBody, problemHeaders } from '../http/problem.ts'
import type { Problem } from '../lib/fail.ts'

/** Answers an upgrade that is not to be: problem+json, as everywhere, and the connection ends. */
export function refuseUpgrade(socket: Duplex, problem: Problem): void {
  const requestId = `req_${randomUUID()}`
  const body = JSON.stringify(problemBody(problem, '/ws', requestId))
  const headers = {
    ...problemHeaders(problem),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-request-id': requestId,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`
  socket.end(`${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
