import ipaddr from 'ipaddr.js'

/**
 * The reach of an address. `public`: the internet. `local`: this machine, its network, and ranges for private
 * use. `never`: instance metadata, link-local, multicast, and addresses that embed another address.
 */
export type Reach = 'public' | 'local' | 'never'

type IPv4 = ReturnType<typeof ipaddr.IPv4.parse>
type IPv6 = ReturnType<typeof ipaddr.IPv6.parse>

/**
 * Metadata services of clouds, which give out credentials, besides link-local 169.254.0.0/16 and fe80::/10:
 * Azure's wire server, Alibaba, Oracle; over IPv6 AWS, Google, Scaleway.
 */
const metadata4 = ['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'].map((net) =>
  ipaddr.IPv4.parseCIDR(net),
)
const metadata6 = ['fd00:ec2::/32', 'fd20:ce::/32', 'fd00:42::/32'].map((net) => ipaddr.IPv6.parseCIDR(net))

const localRanges = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'unspecified',
  'reserved',
  'benchmarking',
])

const ofRange = (range: string): Reach =>
  range === 'unicast' ? 'public' : localRanges.has(range) ? 'local' : 'never'

const reachOf4 = (address: IPv4): Reach =>
  metadata4.some((net) => address.match(net)) ? 'never' : ofRange(address.range())

/** The range of assigned IPv6 addresses. Outside it, only ranges with a name are in use. */
const global6 = ipaddr.IPv6.parseCIDR('2000::/3')
/**
 * The well-known NAT64 prefix. In local prefixes (64:ff9b:1::/48) the position of the IPv4 address is not
 * fixed.
 */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/**
 * Returns true for ISATAP, which contains IPv4 in IPv6: the interface id is 0:5efe or 200:5efe and the
 * address.
 */
const isIsatap = ({ parts }: IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)

/** Returns the last 32 bits as an IPv4 address. */
function tail({ parts }: IPv6): IPv4 {
  const [high = 0, low = 0] = parts.slice(6)
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
}

function reachOf6(address: IPv6): Reach {
  if (address.isIPv4MappedAddress()) return reachOf4(address.toIPv4Address())
  if (metadata6.some((net) => address.match(net))) return 'never'
  const range = address.range()
  // Networks with NAT64 need this prefix to reach the IPv4 internet. A local address behind it can only be an
  // attempt to hide the target.
  if (address.match(nat64)) return reachOf4(tail(address)) === 'public' ? 'public' : 'never'
  if (isIsatap(address) || (range === 'unicast' && !address.match(global6))) return 'never'
  return ofRange(range)
}

/** Returns the reach of an address as written by a resolver or `URL`; `never` for anything else. */
export function reachOf(text: string): Reach {
  if (!ipaddr.isValid(text)) return 'never'
  const address = ipaddr.parse(text)
  return address.kind() === 'ipv4' ? reachOf4(address as IPv4) : reachOf6(address as IPv6)
}
