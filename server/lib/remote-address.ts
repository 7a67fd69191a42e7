import { BlockList, isIP } from 'node:net'

export type PeerAddress = {
  /** `socket.remoteAddress`: undefined once the socket is gone. */
  readonly socketAddress: string | undefined
  /** The `X-Forwarded-For` header as received; several headers are joined with commas, or given as an array. */
  readonly forwardedFor: string | readonly string[] | undefined
}

/** Returns true for an address in `TRUSTED_PROXIES`. Built once: `trustedProxies(config.trustedProxies)`. */
export type TrustedProxies = (address: string) => boolean

/**
 * Normalizes an address: `::ffff:127.0.0.1` becomes `127.0.0.1`; a zone (`fe80::1%eth0`), brackets and a port
 * are removed.
 */
export function normaliseAddress(given: string): string {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(given)) return given
  let text = given.trim().replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
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

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Accepts IPv4 and IPv6 addresses and CIDR ranges. Throws for anything else, so that a typing error is
 * noticed.
 */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  if (entries.length === 0) return () => false
  const list = new BlockList()
  for (const entry of entries) {
    const [net = '', bits, ...rest] = entry.split('/')
    const address = normaliseAddress(net)
    const wasMapped = isIP(net) === 6 && isIP(address) === 4
    const prefix = bits === undefined ? null : Number(bits) - (wasMapped ? 96 : 0)
    if (isIP(address) === 0 || rest.length > 0 || (prefix !== null && !Number.isInteger(prefix))) {
      throw new RangeError(`Not an address or CIDR range: ${entry}`)
    }
    if (prefix === null) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, prefix, familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

/**
 * Returns the client address of a request. That is the socket's address, or if it is a trusted proxy, the
 * right-most forwarded address that is not a trusted proxy. A client may have invented the addresses to the
 * left of it.
 */
export function remoteAddress(peer: PeerAddress & { readonly isTrusted: TrustedProxies }): string {
  const socket = normaliseAddress(peer.socketAddress ?? '')
  if (!peer.isTrusted(socket)) return socket
  const header =
    typeof peer.forwardedFor === 'string' ? peer.forwardedFor : (peer.forwardedFor ?? []).join(',')
  const hops = header.split(',').map(normaliseAddress).reverse()
  let nearest = socket
  for (const hop of hops) {
    // An empty or invalid hop ends the trusted part.
    if (isIP(hop) === 0) return nearest
    nearest = hop
    if (!peer.isTrusted(hop)) return hop
  }
  return nearest
}

const forwardingHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Returns true for 127.0.0.0/8 and ::1, in any notation. */
export function isLoopbackAddress(given: string | undefined): boolean {
  const address = normaliseAddress(given ?? '')
  return isIP(address) !== 0 && loopback.check(address, familyOf(address))
}

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
