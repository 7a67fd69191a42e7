import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { abortable } from './abortable.ts'
import { checkTarget, hostnameOf, pinTarget, type Resolve, type TargetOptions } from './targets.ts'

/** A request that is sent as it is. */
export type PassThroughRequest = {
  readonly url: string
  readonly target: TargetOptions
  readonly method: string
  /** Alternating names and values, without `Host`, `Content-Length` and headers of the connection. */
  readonly headers: readonly string[]
  readonly body: Buffer | null
  readonly signal: AbortSignal
  /** The request is sent when it resolves, on a connection that is opened meanwhile. If it rejects, nothing is sent. */
  readonly ready: Promise<unknown>
}

/**
 * Sends requests without changing them, and returns replies as they arrive: redirects are not followed, and bodies
 * are not decoded. A reply that switches to another protocol has the status 101 and no body.
 */
export type PassThrough = {
  send(request: PassThroughRequest): Promise<IncomingMessage>
  close(): void
}

const connectLimitMs = 10_000
/** Maximum size of the headers of a reply. */
const maxHeaderBytes = 64 * 1024
/** Milliseconds after which an idle connection is closed. Servers usually close theirs later. */
const idleMs = 15_000

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent }

/**
 * Creates the sender. Every request looks up its host and checks all addresses. Connections are reused, because a TLS
 * handshake takes longer than everything else here, but only to the very address that was checked for the request:
 * it is part of the key under which an agent stores a connection.
 */
export function createPassThrough({ resolve }: { readonly resolve: Resolve }): PassThrough {
  const options = { keepAlive: true, maxFreeSockets: 64, timeout: idleMs, scheduling: 'lifo' } as const
  const agents: Agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
  return {
    async send(request) {
      const { url: text, target, signal } = request
      signal.throwIfAborted()
      const url = checkTarget(text, target)
      const address = await pinned(url, target, resolve, signal)
      try {
        return await exchange(agents, url, address, request)
      } catch (error) {
        if (!(error instanceof StaleConnection) || signal.aborted) throw error
        // The server closed the idle connection before it read the request, so it is sent once more.
        return await exchange(null, url, address, request)
      }
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** A reused connection that was closed before a reply. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

const timedOut = (message: string): Error => Object.assign(new Error(message), { code: 'ETIMEDOUT' })

/** Returns the address to connect to, within the time limit for a connection. */
async function pinned(url: URL, target: TargetOptions, resolve: Resolve, signal: AbortSignal) {
  // Nothing to look up, so that the usual local model server needs no timer.
  if (isIP(hostnameOf(url)) !== 0) return hostnameOf(url)
  const limit = AbortSignal.timeout(connectLimitMs)
  const combined = AbortSignal.any([signal, limit])
  return abortable(pinTarget(url, target, resolve, combined), combined).catch((error: unknown) => {
    throw limit.aborted && !signal.aborted
      ? timedOut(`${url.hostname} was not found within ${connectLimitMs} ms`)
      : error
  })
}

/** Returns the options of a request on a connection of the agents; null: on a new one. */
function optionsOf(
  agents: Agents | null,
  url: URL,
  address: string,
  { method, headers, body, signal }: PassThroughRequest,
): RequestOptions & { servername?: string } {
  const isTls = url.protocol === 'https:'
  const hostname = hostnameOf(url)
  const length = body === null ? [] : ['Content-Length', String(body.length)]
  const own = agents !== null && (isTls ? agents.https : agents.http)
  return {
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method,
    headers: ['Host', url.host, ...headers, ...length],
    maxHeaderSize: maxHeaderBytes,
    signal,
    agent: own,
    // Verify the certificate for the requested host name, not for its address.
    ...(isTls && { servername: isIP(hostname) === 0 ? hostname : '' }),
  }
}

/** Sends the request on a connection of the agents; null: on a new one. */
function exchange(
  agents: Agents | null,
  url: URL,
  address: string,
  request: PassThroughRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const options = optionsOf(agents, url, address, request)
    const req = isTls ? requestHttps(options) : requestHttp(options)
    const connectTimer = setTimeout(
      () => req.destroy(timedOut(`no connection within ${connectLimitMs} ms`)),
      connectLimitMs,
    )
    const stopTimer = () => clearTimeout(connectTimer)
    req.once('socket', (socket) => {
      if (req.reusedSocket) stopTimer()
      else socket.once(isTls ? 'secureConnect' : 'connect', stopTimer)
    })
    req.once('close', stopTimer)
    req.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = req.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      reject(isStale ? new StaleConnection('The connection was lost', { cause: error }) : error)
    })
    req.once('response', (res) => {
      stopTimer()
      resolve(res)
    })
    // Without a listener, Node closes the connection and emits no event of the request.
    req.once('upgrade', (res, socket) => {
      stopTimer()
      socket.destroy()
      resolve(res)
    })
    request.ready.then(
      () => req.end(request.body ?? undefined),
      (error: unknown) => {
        req.destroy()
        reject(error)
      },
    )
  })
}
