import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { messageOf } from '../../../lib/text/message-of.ts'
import { Failure } from '../io/failure.ts'
import { certificateFailure } from './certificate-failure.ts'

export type Request = {
  /** Origin with scheme, host and port. */
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The only trusted CA (PEM); null: those that Node contains. */
  readonly ca: string | null
  /** Maximum time without any data, in milliseconds. */
  readonly timeoutMs?: number
  /** Aborting ends the request with an `AbortError`. */
  readonly signal?: AbortSignal
}

const defaultTimeoutMs = 15_000

/**
 * Sends a request and resolves with the head of its reply. Certificates and host names are verified in any case,
 * also if NODE_TLS_REJECT_UNAUTHORIZED is set. Redirects are not followed.
 */
export function send(request: Request): Promise<IncomingMessage> {
  const { origin, method, path, body, ca, timeoutMs = defaultTimeoutMs, signal } = request
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  }
  const url = new URL(path, origin)
  const options = { method, headers, timeout: timeoutMs, agent: false, ...(signal && { signal }) } as const
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === 'https:'
        ? httpsRequest(url, {
            ...options,
            rejectUnauthorized: true,
            minVersion: 'TLSv1.2',
            ...(ca !== null && { ca }),
          })
        : httpRequest(url, options)
    sent.on('timeout', () => sent.destroy(new Error(`no reply within ${timeoutMs / 1000} seconds`)))
    sent.on('error', (error) => reject(signal?.aborted === true ? error : failureOf(error, origin)))
    sent.on('response', resolve)
    // Without a listener, Node closes the connection and emits no event of the request.
    sent.on('upgrade', (_reply, socket) => {
      socket.destroy()
      reject(failureOf(new Error('It replied 101, which was not requested'), origin))
    })
    sent.end(body)
  })
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ENOTFOUND: 'The host name is unknown',
  EHOSTUNREACH: 'The host cannot be reached from this network',
  ETIMEDOUT: 'The host does not answer',
}

function failureOf(error: Error, origin: string): Failure {
  const code = 'code' in error ? String(error.code) : ''
  return (
    certificateFailure(error, origin) ??
    new Failure(
      `${origin} cannot be reached`,
      reasons[code] ?? messageOf(error),
      'Check the address, and that the service is running',
      { cause: error },
    )
  )
}

export async function readText(reply: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxBytes) {
      reply.destroy()
      throw new Failure(
        'The reply is too long',
        `It has more than ${maxBytes} bytes`,
        'Check that the address is that of a Promptdeck service',
      )
    }
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
