import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Problem } from '../lib/fail.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

type GuardOptions = {
  /** The configured bind address. A wildcard is not an allowed host name, so it allows nothing. */
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

/** Checks the Host and Origin headers of a request. */
export type Guard = {
  /** Returns null if the request may continue, otherwise the problem. Runs before every route and upgrade. */
  refuse(headers: IncomingHttpHeaders): Problem | null
  /** Returns the origin for CORS headers if the operator allowed it, otherwise null. */
  corsOrigin(headers: IncomingHttpHeaders): string | null
}

/** Returns the host of an http(s) URL without its default port; null for anything else. */
function hostOf(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).host : null
}

/**
 * Prevents DNS rebinding (the Host header must name this service) and calls from other sites (an Origin must
 * be the service's own or allowed). Loopback names are accepted with any port, so that a forwarded port
 * works.
 */
export function createGuard({ host, allowedHosts, allowedOrigins }: GuardOptions): Guard {
  const isWildcard = host === '0.0.0.0' || host === '::'
  const ownName = host.includes(':') ? `[${host}]` : host.toLowerCase()
  const names = new Set(allowedHosts.map((name) => name.toLowerCase()))
  if (!isWildcard) names.add(ownName)
  const origins = new Set(allowedOrigins.map((origin) => new URL(origin).origin))

  const isOurHost = (header: string | undefined): header is string => {
    if (header === undefined) return false
    const full = header.toLowerCase()
    const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/.exec(full)
    const name = match?.[1]
    return name !== undefined && (loopbackNames.has(name) || names.has(name) || names.has(full))
  }

  return {
    refuse(headers) {
      if (!isOurHost(headers.host)) {
        return fail('request.misdirected', {
          detail: 'The Host header does not match a host of this service. Set ALLOWED_HOSTS to allow it.',
        })
      }
      const { origin } = headers
      if (origin === undefined || origins.has(origin)) return null
      const ownHost = hostOf(`http://${headers.host}`)
      // Two hosts that cannot be parsed are not equal.
      if (ownHost !== null && hostOf(origin) === ownHost) return null
      return fail('auth.forbidden', {
        detail: 'Pages of this origin cannot call this service. Set ALLOWED_ORIGINS to allow it.',
      })
    },
    corsOrigin({ origin }) {
      return origin !== undefined && origins.has(origin) ? origin : null
    },
  }
}
