import ipaddr from 'ipaddr.js'

/**
 * The address ranges that the local authority may certify: private (RFC 1918), link-local, shared (RFC 6598),
 * unique local (RFC 4193) and loopback.
 */
const permittedRanges = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '127.0.0.0/8',
  'fe80::/10',
  'fc00::/7',
  '::1/128',
] as const

const ranges = permittedRanges.map((range) => ipaddr.parseCIDR(range))

/** The domains that the local authority may certify on every computer. */
const commonDomains = ['local', 'localhost']

/** Returns true for an address in a permitted range. An IPv4-mapped IPv6 address counts as IPv4. */
export function isPermittedAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some(([network, prefix]) => isInRange(address, network, prefix))
}

function isInRange(
  address: ipaddr.IPv4 | ipaddr.IPv6,
  network: ipaddr.IPv4 | ipaddr.IPv6,
  prefix: number,
): boolean {
  return address.kind() === network.kind() && address.match(network, prefix)
}

/** Returns true if the name is one of the domains or below one (RFC 5280, 4.2.1.10). */
export const isPermittedName = (name: string, domains: readonly string[]): boolean =>
  domains.some((domain) => name === domain || name.endsWith(`.${domain}`))

/** Returns the domains that an authority for this host may certify. */
export const permittedDomains = (hostNames: readonly string[]): readonly string[] => [
  ...commonDomains,
  ...hostNames.filter((name) => !isPermittedName(name, commonDomains)),
]

/** The object identifier of the extension. */
export const nameConstraintsId = '2.5.29.30'

/** DER tags: SEQUENCE, permittedSubtrees, and the two kinds of names that are used (RFC 5280, 4.2.1.10). */
const tags = { sequence: 0x30, permitted: 0xa0, dnsName: 0x82, ipAddress: 0x87 }

/** Returns the DER of the extension NameConstraints, which permits these domains and `permittedRanges`. */
export function encodeNameConstraints(domains: readonly string[]): Buffer {
  const names = domains.map((domain) => element(tags.dnsName, Buffer.from(domain, 'ascii')))
  const addresses = ranges.map(([network, prefix]) =>
    element(tags.ipAddress, addressAndMask(network, prefix)),
  )
  const subtrees = [...names, ...addresses].map((name) => element(tags.sequence, name))
  return element(tags.sequence, element(tags.permitted, Buffer.concat(subtrees)))
}

/** Returns the permitted domains of an extension that `encodeNameConstraints` made. */
export function decodeDomains(der: Buffer): readonly string[] {
  const domains: string[] = []
  for (const subtree of childrenOf(childrenOf(contentOf(der)).next().value?.content ?? Buffer.alloc(0))) {
    const name = childrenOf(subtree.content).next().value
    if (name?.tag === tags.dnsName) domains.push(name.content.toString('ascii'))
  }
  return domains
}

function addressAndMask(network: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): Buffer {
  const mask =
    network.kind() === 'ipv4'
      ? ipaddr.IPv4.subnetMaskFromPrefixLength(prefix)
      : ipaddr.IPv6.subnetMaskFromPrefixLength(prefix)
  return Buffer.from([...network.toByteArray(), ...mask.toByteArray()])
}

/** Encodes one DER element of at most 65,535 bytes. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const contentOf = (der: Buffer): Buffer => childrenOf(der).next().value?.content ?? Buffer.alloc(0)

/** Yields the DER elements in `bytes`, in order. */
function* childrenOf(bytes: Buffer): Generator<{ tag: number; content: Buffer }, undefined> {
  for (let offset = 0; offset < bytes.length; ) {
    const tag = bytes.readUInt8(offset)
    const short = bytes.readUInt8(offset + 1)
    const sizeBytes = short < 0x80 ? 0 : short & 0x7f
    const start = offset + 2 + sizeBytes
    const length = sizeBytes === 0 ? short : bytes.readUIntBE(offset + 2, sizeBytes)
    yield { tag, content: bytes.subarray(start, start + length) }
    offset = start + length
  }
}
