import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddress from 'proxy-addr'

/** Returns true for an address in `TRUSTED_PROXIES`. Built once: `trustedProxies(config.trustedProxies)`. */
export type TrustedProxies = (address: string | undefined) => boolean

/**
 * Normalizes an address: `::ffff:127.0.0.1` becomes `127.0.0.1`; a zone (`fe80::1%eth0`), brackets and a port
 * are removed.
 */
export function normalizeAddress(address: string): string {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return address
  let text = address.trim().replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
  if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(text)) text = text.slice(0, text.lastIndexOf(':'))
  const zone = text.indexOf('%')
  if (zone !== -1) text = text.slice(0, zone)
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  if (dotted !== undefined) return dotted
  const hex = /^(?:::|(?:0{1,4}:){5})ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(text)
  if (hex === null) return text.toLowerCase()
  const [high, low] = [Number.parseInt(hex[1] ?? '', 16), Number.parseInt(hex[2] ?? '', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/**
 * Accepts IPv4 and IPv6 addresses and CIDR ranges. Throws for anything else, so that a typing error is
 * noticed. The result is also Express's setting `trust proxy`.
 */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  if (entries.length === 0) return () => false
  const isTrusted = proxyAddress.compile(entries.flatMap(rangesOf))
  return (rawAddress) => {
    const address = normalizeAddress(rawAddress ?? '')
    return isIP(address) !== 0 && isTrusted(address, 0)
  }
}

/**
 * Returns an entry in a form that `proxy-addr` accepts: it refuses the prefix /0. Throws for names and masks,
 * which `proxy-addr` accepts.
 */
function rangesOf(entry: string): string[] {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  if (version === 0 || !isPrefix || rest.length > 0)
    throw new RangeError(`Not an address or CIDR range: ${entry}`)
  if (Number(prefix) !== 0 || prefix === undefined) return [entry]
  return version === 6 ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1']
}

/**
 * Returns the client address of a request. That is the socket's address, or if it is a trusted proxy, the
 * right-most forwarded address that is not a trusted proxy. A client may have invented the addresses to the
 * left of it. Empty once the socket is closed.
 */
export function remoteAddress(req: IncomingMessage, isTrusted: TrustedProxies): string {
  // Only the last address may be untrusted. If it is invalid, the proxy before it is the nearest known peer.
  const addresses = proxyAddress.all(req, isTrusted).map((address) => normalizeAddress(address ?? ''))
  return addresses.findLast((address) => isIP(address) !== 0) ?? ''
}

const forwardingHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const

/** Returns true for 127.0.0.0/8 and ::1, in any notation. */
export const isLoopbackAddress = trustedProxies(['127.0.0.0/8', '::1'])

/**
 * Returns true for a loopback socket without forwarding headers. A local proxy forwards for others, so it
 * does not count.
 */
export function isLoopbackPeer(
  socketAddress: string | undefined,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): boolean {
  return isLoopbackAddress(socketAddress) && forwardingHeaders.every((name) => headers[name] === undefined)
}
