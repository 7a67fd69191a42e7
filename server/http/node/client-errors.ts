import type { Server } from 'node:http'
import { fail, type Problem } from '../../lib/fail.ts'
import { rejectConnection } from '../reject.ts'

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/**
 * Bytes. If request line and headers exceed Node's limit of 16 KiB, a request line longer than this counts as
 * the cause.
 */
const longLineBytes = 8 * 1024

function overflow({ rawPacket = Buffer.alloc(0) }: ParserError): Problem {
  const end = rawPacket.indexOf('\n')
  const isLine = /^[A-Z]+ /.test(rawPacket.toString('latin1', 0, 16)) && (end === -1 || end > longLineBytes)
  const detail = 'The address and headers of a request can have at most 16 KiB.'
  return isLine ? fail('request.uri_too_long', { detail }) : fail('request.headers_too_large', { detail })
}

function problemOf(error: ParserError): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') return overflow(error)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return fail('request.timeout', { detail: 'The request did not arrive in time. Send it again.' })
  return fail('request.malformed', { detail: 'The request is not valid HTTP.' })
}

/** Replies to requests that Node's parser rejects. */
export function handleClientErrors(server: Server): void {
  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else rejectConnection(socket, problemOf(error), '')
  })
}
