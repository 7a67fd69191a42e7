import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Problem } from '../lib/fail.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

type GuardOptions = {
  /** The configured bind address; a wildcard adds no name, so it fails closed. */
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

export type Guard = {
  /** Null when the request may go on; else why not. Runs before every route and upgrade. */
  refuse(headers: IncomingHttpHeaders): Problem | null
  /** The origin to answer CORS with: one the operator allowed, never the page's own. */
  corsOrigin(headers: IncomingHttpHeaders): string | null
}

/** The host of an http(s) URL without its default port; null for anything else. */
function hostOf(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).host : null
}

/**
 * Stops DNS rebinding (the Host must be a name of ours) and foreign pages (an Origin must be ours or allowed).
 * Loopback names count with any port, so that a forwarded port works.
 */
export function createGuard({ host, allowedHosts, allowedOrigins }: GuardOptions): Guard {
  const isWildcard = host === '0.0.0.0' || host === '::'
  const own = host.includes(':') ? `[${host}]` : host.toLowerCase()
  const names = new Set(allowedHosts.map((name) => name.toLowerCase()))
  if (!isWildcard) names.add(own)
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
          detail: 'The Host header names no host of this service. Set ALLOWED_HOSTS to add one.',
        })
      }
      const { origin } = headers
      if (origin === undefined || origins.has(origin)) return null
      const own = hostOf(`http://${headers.host}`)
      // Two that cannot be parsed are not the same host.
      if (own !== null && hostOf(origin) === own) return null
      return fail('auth.forbidden', {
        detail: 'Pages of that origin may not call this service. Set ALLOWED_ORIGINS to add one.',
      })
    },
    corsOrigin({ origin }) {
      return origin !== undefined && origins.has(origin) ? origin : null
    },
  }
}
