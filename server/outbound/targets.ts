import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Reach, reachOf } from './addresses.ts'

/** Why a request does not leave. The message is for a person. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
}

/** Every address of a name. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>

export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/** Names of the services that give out a machine's credentials; none of them is a model. */
const metadataNames = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
])

export type TargetOptions = { readonly isLocal: boolean }

/** The host of an address as a resolver takes it: no brackets, no trailing dot. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

function requireReach(reach: Reach, shown: string, { isLocal }: TargetOptions): void {
  if (reach === 'never') {
    throw new OutboundRefused(`${shown} is never called: it is reserved, link-local or gives out credentials`)
  }
  if (reach === 'local' && !isLocal) {
    throw new OutboundRefused(
      `${shown} is on this machine or a private network; only a provider that is marked local may be there`,
    )
  }
  if (reach === 'public' && isLocal) {
    throw new OutboundRefused(
      `${shown} is on the internet, and this provider is marked local: nothing of it may leave`,
    )
  }
}

/**
 * What can be said of an address without asking anybody: scheme, credentials, and the host when it is an address itself,
 * however it is spelled (`URL` reads octal, hexadecimal, decimal and full-width digits). Throws `OutboundRefused`.
 */
export function checkTarget(given: string, options: TargetOptions): URL {
  if (!URL.canParse(given)) throw new OutboundRefused('This is no address; it looks like https://host/path')
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundRefused(`${url.protocol} is not spoken here; use https`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefused('An address carries no user name or password; a key has its own field')
  }
  const hostname = hostnameOf(url)
  if (hostname === '') throw new OutboundRefused('The address has no host')
  if (metadataNames.has(hostname)) requireReach('never', hostname, options)
  if (isIP(hostname) !== 0) requireReach(reachOf(hostname), hostname, options)
  if (url.protocol === 'http:' && !options.isLocal) {
    throw new OutboundRefused('http is readable on its way; use https, or mark the provider as local')
  }
  return url
}

/**
 * The address to connect to: the name is looked up once, every answer is checked, and the caller connects to what is
 * returned, so that a second answer cannot lead elsewhere. One bad address among good ones refuses them all.
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
    requireReach(reachOf(address), `${hostname} (${address})`, options)
  }
  const [first] = addresses.toSorted((a, b) => isIP(a) - isIP(b))
  if (first === undefined) throw new OutboundRefused(`${hostname} has no address`)
  return first
}
