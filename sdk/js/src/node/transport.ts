import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { createGunzip } from 'node:zlib'
import { invalid, messageOf } from '../core/errors.ts'
import type { Fetch, OpenSocket } from '../core/platform.ts'
import type { Target } from '../core/target.ts'

/** Time after which the client closes an idle connection, in milliseconds: before a service or proxy does. */
const idleMs = 4_000
const maxSockets = 16

/**
 * Returns the function that sends requests. TLS uses Node's own client, because `fetch` cannot be given a CA, and
 * because NODE_TLS_REJECT_UNAUTHORIZED would turn off its verification.
 */
export function createFetch({ server, ca }: Target): Fetch {
  if (!server.startsWith('https:')) return (url, init) => fetch(url, init)
  const agent = new Agent({ keepAlive: true, timeout: idleMs, maxSockets, ...trust(ca) })
  return (url, init) => fetchOverTls(agent, url, init)
}

/** Returns the TLS options of every connection. Without `ca`, Node's built-in certificates are trusted. */
const trust = (ca: string | null) => ({
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2' as const,
  ...(ca !== null && { ca }),
})

function fetchOverTls(agent: Agent, url: string, init: RequestInit): Promise<Response> {
  const { method = 'GET', headers, body, signal } = init
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method,
      headers: { ...(headers as Record<string, string>), 'accept-encoding': 'gzip' },
      ...(signal && { signal }),
    })
    sent.on('error', reject)
    sent.on('response', (reply) => {
      const status = reply.statusCode ?? 0
      const isRedirect = status >= 300 && status < 400 && status !== 304
      if (isRedirect) {
        reply.destroy()
        reject(new Error(`the service replied with a redirect (${status}), which is not followed`))
        return
      }
      readBody(reply).then((bytes) => resolve(toResponse(reply, status, bytes)), reject)
    })
    sent.end(body as string | undefined)
  })
}

async function readBody(reply: IncomingMessage): Promise<Buffer> {
  const isCompressed = reply.headers['content-encoding'] === 'gzip'
  const stream = isCompressed ? reply.pipe(createGunzip()) : reply
  // `pipe` does not pass an error of the connection on to the decompressing stream.
  if (isCompressed) reply.on('error', (error) => stream.destroy(error))
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function toResponse(reply: IncomingMessage, status: number, bytes: Buffer): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(reply.headers)) {
    if (typeof value === 'string') headers.set(name, value)
  }
  const hasBody = status !== 204 && status !== 304
  return new Response(hasBody ? new Uint8Array(bytes) : null, { status, headers })
}

/** Node's own WebSocket also takes headers, but its types are those of browsers. */
const nativeOptions = (headers: Readonly<Record<string, string>>) =>
  ('undici' in process.versions ? { headers } : []) as string[]

const withToken = (headers: Readonly<Record<string, string>>, token: string | null) =>
  token === null ? headers : { ...headers, authorization: `Bearer ${token}` }

/**
 * Returns the function that opens a socket. Over TLS, it uses the package `ws` if it is installed, because `ws` accepts
 * a CA. Otherwise it uses Node's own WebSocket, which exists since version 22, or else `ws`.
 */
export async function createSockets(
  { server, ca }: Target,
  headers: Readonly<Record<string, string>>,
): Promise<OpenSocket> {
  const isSecure = server.startsWith('https:')
  const hasNative = typeof globalThis.WebSocket === 'function'
  if (!isSecure && hasNative) return (url) => new WebSocket(url, nativeOptions(headers))
  let problem = ''
  const library = await import('ws').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (!code?.endsWith('MODULE_NOT_FOUND'))
      problem = ` It could not be loaded (${messageOf(error)}): leave it out of bundles.`
    return null
  })
  if (library !== null) {
    const tls = isSecure ? trust(ca) : {}
    return (url, token) =>
      new library.WebSocket(url, {
        headers: isSecure ? withToken(headers, token) : headers,
        perMessageDeflate: false,
        ...tls,
      })
  }
  // Node's own WebSocket accepts no CA, and NODE_TLS_REJECT_UNAUTHORIZED can turn off its verification.
  if (hasNative && ca === null && process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0')
    return (url, token) => new WebSocket(url, nativeOptions(withToken(headers, token)))
  throw invalid(
    isSecure
      ? `The live connection over TLS needs the package ws. Add it (npm install ws).${problem}`
      : `This Node has no WebSocket. Use Node 22 or newer, or add the package ws (npm install ws).${problem}`,
  )
}
