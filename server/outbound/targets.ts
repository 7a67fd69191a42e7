import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Reach, reachOf } from './addresses.ts'

/** A request that is not allowed. The message is for the user. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
}

/** Returns every address of a host name. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>

export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/** Host names of services that give out a machine's credentials. No model runs there. */
const metadataNames = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
])

export type TargetOptions = {
  /** True for what is marked as local: it allows private addresses and http, and nothing public. */
  readonly isLocal: boolean
  /** The object that has the address, for messages. */
  readonly owner?: 'provider' | 'webhook' | 'collector'
}

/** Returns the host of a URL as a resolver accepts it: without brackets and trailing dot. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

function requireReach(reach: Reach, shown: string, { isLocal, owner = 'provider' }: TargetOptions): void {
  if (reach === 'never') {
    throw new OutboundRefused(`${shown} is not allowed: it is reserved, link-local or provides credentials`)
  }
  if (reach === 'local' && !isLocal) {
    throw new OutboundRefused(
      `${shown} is on this machine or a private network; only a ${owner} that is marked as local can use it`,
    )
  }
  if (reach === 'public' && isLocal) {
    throw new OutboundRefused(
      `${shown} is a public address, but this ${owner} is marked as local, so no data may leave the network`,
    )
  }
}

/**
 * Checks a URL without a look-up: its scheme, credentials, and the host if it is an IP address in any
 * notation (`URL` parses octal, hexadecimal, decimal and full-width digits). Throws `OutboundRefused`.
 */
export function checkTarget(text: string, options: TargetOptions): URL {
  const { isLocal, owner = 'provider' } = options
  if (!URL.canParse(text)) throw new OutboundRefused('Not a valid address; use the form https://host/path')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundRefused(`${url.protocol} is not supported; use https`)
  }
  if (url.username !== '' || url.password !== '') {
    const other = owner === 'provider' ? '; set the API key instead' : ''
    throw new OutboundRefused(`The address must not contain a user name or password${other}`)
  }
  const hostname = hostnameOf(url)
  if (hostname === '') throw new OutboundRefused('The address has no host')
  if (metadataNames.has(hostname)) requireReach('never', hostname, options)
  if (isIP(hostname) !== 0) requireReach(reachOf(hostname), hostname, options)
  if (url.protocol === 'http:' && !isLocal) {
    throw new OutboundRefused(`http is not encrypted; use https, or mark the ${owner} as local`)
  }
  return url
}

/**
 * Returns the address to connect to. The name is looked up once and every address is checked, so that a
 * second look-up cannot lead elsewhere. One forbidden address forbids all.
 */
export async function pinTarget(
  url: URL,
  options: TargetOptions,
  resolve: Resolve,
  signal?: AbortSignal,
): Promise<string> {
  const hostname = hostnameOf(url)
  if (isIP(hostname) !== 0) return hostname
  const addresses = await resolve(hostname, signal)
  for (const address of addresses) {
    // Editors set webhooks. They must not learn the addresses of the service's network.
    const shown = options.owner === 'webhook' ? hostname : `${hostname} (${address})`
    requireReach(reachOf(address), shown, options)
  }
  const [first] = addresses.toSorted((a, b) => isIP(a) - isIP(b))
  if (first === undefined) throw new OutboundRefused(`${hostname} has no address`)
  return first
}
