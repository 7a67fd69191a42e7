import type { IncomingMessage } from 'node:http'
import { fail, type Problem } from '../lib/fail.ts'
import type { TrustedProxies } from '../lib/remote-address.ts'
import { isLan } from './listener.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

type GuardOptions = {
  /** The configured bind address. A wildcard is not an allowed host name, so it allows nothing. */
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** The address at which a proxy publishes the service. Its host and origin are this service's own. */
  readonly publicUrl: string | null
  readonly isTrusted: TrustedProxies
  /** Returns the hosts of the LAN listener; null while the service is not shared. */
  readonly lanHosts?: () => LanHosts | null
}

/** The hosts of the LAN listener: names and addresses in lower case, IPv6 in brackets. */
export type LanHosts = { readonly names: ReadonlySet<string>; readonly port: number }

type Request = Pick<IncomingMessage, 'headers' | 'socket'>

/** Checks the Host and Origin headers of a request. */
export type Guard = {
  /** Returns null if the request may continue, otherwise the problem. Runs before every route and upgrade. */
  refuse(request: Request): Problem | null
  /** Returns the origin for CORS headers if the operator allowed it, otherwise null. */
  corsOrigin(request: Request): string | null
}

/** Returns the host of an http(s) URL without its default port; null for anything else. */
function hostOf(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).host : null
}

type HostName = { readonly full: string; readonly name: string; readonly port: string | null }

/** Parses a Host header. Returns null if it is missing or invalid. */
function parseHost(header: string | undefined): HostName | null {
  const full = header?.toLowerCase() ?? ''
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(full)
  const name = match?.[1]
  return name === undefined ? null : { full, name, port: match?.[2] ?? null }
}

/** Returns the hosts that trusted proxies received. Other peers can invent the header, so it is ignored. */
function forwardedHosts({ headers, socket }: Request, isTrusted: TrustedProxies): string[] {
  const header = headers['x-forwarded-host']
  if (header === undefined || !isTrusted(socket.remoteAddress)) return []
  return String(header)
    .split(',')
    .map((host) => host.trim())
}

/**
 * Prevents DNS rebinding (the Host header must name this service) and calls from other sites (an Origin must
 * be the service's own or allowed). On the loopback listener, loopback names are accepted with any port, so
 * that a forwarded port works. On the LAN listener, the service's own names and addresses are accepted, with
 * its port. A forwarded host must name this service too; it does not replace the Host header, because a page
 * could send it to a service whose proxy is on the same machine.
 */
export function createGuard(options: GuardOptions): Guard {
  const { host, publicUrl, isTrusted, lanHosts = () => null } = options
  const isWildcard = host === '0.0.0.0' || host === '::'
  const ownName = host.includes(':') ? `[${host}]` : host.toLowerCase()
  const names = new Set(options.allowedHosts.map((name) => name.toLowerCase()))
  if (publicUrl !== null) names.add(new URL(publicUrl).host)
  const loopback = new Set([...names, ...loopbackNames, ...(isWildcard ? [] : [ownName])])
  const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin
  const origins = new Set(options.allowedOrigins.map((origin) => new URL(origin).origin))

  const isOurHost = (header: string | undefined, isOnLan: boolean): boolean => {
    const parsed = parseHost(header)
    if (parsed === null) return false
    if (!isOnLan) return loopback.has(parsed.name) || loopback.has(parsed.full)
    return names.has(parsed.name) || names.has(parsed.full) || isLanHost(parsed, lanHosts())
  }

  return {
    refuse(request) {
      const isOnLan = isLan(request)
      const hosts = [request.headers.host, ...forwardedHosts(request, isTrusted)]
      if (!hosts.every((each) => isOurHost(each, isOnLan))) {
        return fail('request.misdirected', {
          detail: 'The Host header does not match a host of this service. Set ALLOWED_HOSTS to allow it.',
        })
      }
      const { origin } = request.headers
      if (origin === undefined || origin === publicOrigin || origins.has(origin)) return null
      const originHost = hostOf(origin)
      // A page over plain HTTP at the same host is the trust page, or was sent by someone on the network.
      const isPlainPage = isOnLan && !/^https:/i.test(origin)
      // Two hosts that cannot be parsed are not equal.
      const isOwn = originHost !== null && hosts.some((each) => hostOf(`http://${each}`) === originHost)
      if (isOwn && !isPlainPage) return null
      return fail('auth.forbidden', {
        detail: 'Pages of this origin cannot call this service. Set ALLOWED_ORIGINS to allow it.',
      })
    },
    corsOrigin({ headers: { origin } }) {
      return origin !== undefined && origins.has(origin) ? origin : null
    },
  }
}

const isLanHost = ({ name, port }: HostName, hosts: LanHosts | null): boolean =>
  hosts?.names.has(name) === true && Number(port ?? 443) === hosts.port
