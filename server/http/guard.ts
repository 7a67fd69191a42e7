import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Problem } from '../lib/fail.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

type GuardOptions = {
  /** The configured bind address. A wildcard is not an allowed host name, so it allows nothing. */
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Returns the hosts of the LAN listener; null while the service is not shared. */
  readonly lanHosts?: () => LanHosts | null
}

/** The hosts of the LAN listener: names and addresses in lower case, IPv6 in brackets. */
export type LanHosts = { readonly names: ReadonlySet<string>; readonly port: number }

/** Checks the Host and Origin headers of a request. */
export type Guard = {
  /**
   * Returns null if the request may continue, otherwise the problem. Runs before every route and upgrade.
   * `isLan`: the LAN listener received the request.
   */
  refuse(headers: IncomingHttpHeaders, isLan: boolean): Problem | null
  /** Returns the origin for CORS headers if the operator allowed it, otherwise null. */
  corsOrigin(headers: IncomingHttpHeaders): string | null
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

/**
 * Prevents DNS rebinding (the Host header must name this service) and calls from other sites (an Origin must
 * be the service's own or allowed). On the loopback listener, loopback names are accepted with any port, so
 * that a forwarded port works. On the LAN listener, the service's own names and addresses are accepted, with
 * its port.
 */
export function createGuard(options: GuardOptions): Guard {
  const { host, allowedHosts, allowedOrigins, lanHosts = () => null } = options
  const isWildcard = host === '0.0.0.0' || host === '::'
  const ownName = host.includes(':') ? `[${host}]` : host.toLowerCase()
  const names = new Set(allowedHosts.map((name) => name.toLowerCase()))
  const loopback = new Set([...names, ...loopbackNames, ...(isWildcard ? [] : [ownName])])
  const origins = new Set(allowedOrigins.map((origin) => new URL(origin).origin))

  const isOurHost = (header: string | undefined, isLan: boolean): boolean => {
    const parsed = parseHost(header)
    if (parsed === null) return false
    if (!isLan) return loopback.has(parsed.name) || loopback.has(parsed.full)
    return names.has(parsed.name) || names.has(parsed.full) || isLanHost(parsed, lanHosts())
  }

  return {
    refuse(headers, isLan) {
      if (!isOurHost(headers.host, isLan)) {
        return fail('request.misdirected', {
          detail: 'The Host header does not match a host of this service. Set ALLOWED_HOSTS to allow it.',
        })
      }
      const { origin } = headers
      if (origin === undefined || origins.has(origin)) return null
      const ownHost = hostOf(`http://${headers.host}`)
      // A page over plain HTTP at the same host is the trust page, or was sent by someone on the network.
      const isPlainPage = isLan && !/^https:/i.test(origin)
      // Two hosts that cannot be parsed are not equal.
      if (ownHost !== null && !isPlainPage && hostOf(origin) === ownHost) return null
      return fail('auth.forbidden', {
        detail: 'Pages of this origin cannot call this service. Set ALLOWED_ORIGINS to allow it.',
      })
    },
    corsOrigin({ origin }) {
      return origin !== undefined && origins.has(origin) ? origin : null
    },
  }
}

const isLanHost = ({ name, port }: HostName, hosts: LanHosts | null): boolean =>
  hosts?.names.has(name) === true && Number(port ?? 443) === hosts.port
