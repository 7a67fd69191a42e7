import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { abortable } from './abortable.ts'
import { toResponse } from './reply.ts'
import {
  checkTarget,
  hostnameOf,
  OutboundRefused,
  pinTarget,
  type Resolve,
  systemResolve,
  type TargetOptions,
} from './targets.ts'

export type OutboundFetchOptions = TargetOptions & {
  readonly resolve?: Resolve
  /** Time limit until the connection is established, including look-up and handshake, in milliseconds. */
  readonly connectLimitMs?: number
  /** Time limit until the headers of the reply, in milliseconds. */
  readonly headerLimitMs?: number
  /** Maximum size of a decoded reply. */
  readonly maxReplyBytes?: number
}

export type OutboundFetch = typeof globalThis.fetch

const maxHops = 3
const maxHeaderBytes = 32 * 1024
/** Headers that may be sent to another host after a redirect, because they contain no credentials. */
const crossHostHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent'])

type RequestData = {
  readonly method: string
  readonly headers: Headers
  readonly body: Buffer | null
  readonly signal: AbortSignal
  /** `manual`: the reply is returned as it is. */
  readonly redirect: Request['redirect']
}

/** Returns an error as `fetch` throws it when there is no reply, with the reason as its cause. */
const fetchError = (cause: unknown): Error =>
  cause instanceof OutboundRefused || (cause instanceof Error && cause.name === 'AbortError')
    ? cause
    : new TypeError('fetch failed', { cause })

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/**
 * Sends one request to one checked address. It uses no connection pool, so that no connection outlives the
 * rules under which its address was checked.
 */
function send(url: URL, address: string, request: RequestData, limits: Limits) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const hostname = hostnameOf(url)
    const isTls = url.protocol === 'https:'
    const options: RequestOptions & { servername?: string } = {
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), host: url.host },
      maxHeaderSize: maxHeaderBytes,
      signal: request.signal,
      agent: false,
      // Verify the certificate for the requested host name, not for its address.
      ...(isTls && { servername: isIP(hostname) === 0 ? hostname : '' }),
    }
    const req = isTls ? requestHttps(options) : requestHttp(options)
    const connectTimer = setTimeout(
      () => req.destroy(withCode('ETIMEDOUT', `no connection within ${limits.connectMs} ms`)),
      limits.connectMs,
    )
    const headerTimer = setTimeout(
      () => req.destroy(withCode('ETIMEDOUT', `no reply within ${limits.headerMs} ms`)),
      limits.headerMs,
    )
    req.once('socket', (socket) => {
      socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(connectTimer))
    })
    req.once('close', () => {
      clearTimeout(connectTimer)
      clearTimeout(headerTimer)
    })
    req.on('error', reject)
    req.once('response', (res) => {
      clearTimeout(connectTimer)
      clearTimeout(headerTimer)
      resolve(res)
    })
    // Without a listener, Node closes the connection and emits no event of the request.
    req.once('upgrade', (_res, socket) => {
      socket.destroy()
      reject(new OutboundRefused(`${url.host} replied 101, which was not requested`))
    })
    req.end(request.body ?? undefined)
  })
}

/** Returns the request that follows a redirect (Fetch, "HTTP-redirect fetch"). */
function redirected(request: RequestData, status: number, isOtherHost: boolean): RequestData {
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST'
  const headers = new Headers(
    [...request.headers].filter(([name]) => !isOtherHost || crossHostHeaders.has(name.toLowerCase())),
  )
  if (!becomesGet) return { ...request, headers }
  headers.delete('content-type')
  headers.delete('content-length')
  return { ...request, method: 'GET', body: null, headers }
}

async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<RequestData & { url: string }> {
  const request = new Request(input, init)
  const { method, signal, redirect } = request
  const headers = new Headers(request.headers)
  const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
  if (body !== null) headers.set('content-length', String(body.length))
  // A compressed stream may be decoded with a delay.
  headers.set('accept-encoding', 'identity')
  if (!headers.has('accept')) headers.set('accept', '*/*')
  if (!headers.has('user-agent')) headers.set('user-agent', 'promptdeck')
  return { url: request.url, method, headers, body, signal, redirect }
}

type Limits = { readonly connectMs: number; readonly headerMs: number; readonly maxReplyBytes: number }
type Guard = { readonly target: TargetOptions; readonly resolve: Resolve; readonly limits: Limits }

/**
 * Creates a `fetch` for requests that settings cause. Every hop is checked, and connects to
 * exactly the address that was checked. It uses no proxy, cookies or cache. Throws `OutboundRefused` for a
 * forbidden target, otherwise fails like `fetch`.
 */
export function createOutboundFetch(options: OutboundFetchOptions): OutboundFetch {
  const { isLocal, owner, resolve = systemResolve } = options
  const { connectLimitMs = 10_000, headerLimitMs = 600_000, maxReplyBytes = 64 * 1024 * 1024 } = options
  const limits = { connectMs: connectLimitMs, headerMs: headerLimitMs, maxReplyBytes }
  const target = { isLocal, ...(owner !== undefined && { owner }) }
  const guard: Guard = { target, resolve, limits }

  return async (input, init) => {
    const { url: start, ...request } = await readRequest(input, init)
    const url = checkTarget(start, target)
    try {
      return await follow(guard, url, request)
    } catch (error) {
      request.signal.throwIfAborted()
      throw fetchError(error)
    }
  }
}

/** Sends a request and follows its redirects. */
async function follow(guard: Guard, start: URL, first: RequestData): Promise<Response> {
  const { limits } = guard
  let url = start
  let request = first
  for (let hop = 0; ; hop += 1) {
    request.signal.throwIfAborted()
    const res = await send(url, await pin(guard, url, request.signal), request, limits)
    const location = request.redirect === 'manual' ? null : redirectOf(res)
    if (location === null) {
      return toResponse(res, { url: url.href, maxBytes: limits.maxReplyBytes, signal: request.signal })
    }
    // The body of a redirect is not needed, and its socket is not reused.
    res.destroy()
    if (hop === maxHops) throw new OutboundRefused(`${url.host} redirects more than ${maxHops} times`)
    const next = URL.canParse(location, url.href) ? new URL(location, url).href : location
    const target = checkTarget(next, guard.target)
    request = redirected(request, res.statusCode ?? 0, target.origin !== url.origin)
    requireSameHost(url, target, request)
    url = target
  }
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | null {
  return [301, 302, 303, 307, 308].includes(statusCode) ? (headers.location ?? null) : null
}

/** The body is meant for the requested host. Its reply must not redirect it to another host. */
function requireSameHost(url: URL, target: URL, { body }: RequestData): void {
  if (target.origin === url.origin || body === null) return
  throw new OutboundRefused(
    `${url.host} redirects to ${target.host}, which must not receive the data meant for ${url.host}`,
  )
}

/** Returns the address to connect to, within the time limit for a connection. */
async function pin({ target, resolve, limits }: Guard, url: URL, signal: AbortSignal): Promise<string> {
  const limit = AbortSignal.timeout(limits.connectMs)
  const combined = AbortSignal.any([signal, limit])
  return abortable(pinTarget(url, target, resolve, combined), combined).catch((error: unknown) => {
    throw limit.aborted && !signal.aborted
      ? withCode('ETIMEDOUT', `${url.hostname} was not found within ${limits.connectMs} ms`)
      : error
  })
}
