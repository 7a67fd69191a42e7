import { isPermittedAddress } from '../certificates/constraints.ts'
import type { NetworkAddress } from './source.ts'

/** Returns the address for a URL or a Host header. */
export const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** Returns the addresses on which the service can be shared. A public address is never among them. */
export const shareableAddresses = (all: readonly NetworkAddress[]): readonly NetworkAddress[] =>
  all.filter(({ address }) => isPermittedAddress(address))

/** Returns true if the address is on a chosen interface. `chosen` may contain names and addresses. */
export const isChosen = ({ name, address }: NetworkAddress, chosen: readonly string[] | null): boolean =>
  chosen === null || chosen.includes(name) || chosen.includes(address)

/**
 * Returns the DNS names of a host: its name, the name without its domain, and the `.local` name (RFC 6762).
 * Labels that DNS does not allow are left out.
 */
export function hostNames(hostName: string): readonly string[] {
  const full = hostName.trim().toLowerCase().replace(/\.$/, '')
  const [short = ''] = full.split('.')
  const isLabel = (label: string) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label)
  const names = [short, `${short}.local`, full].filter(
    // A name of digits only would be read as an IPv4 address.
    (name) => name.length <= 253 && name.split('.').every(isLabel) && !/^[\d.]+$/.test(name),
  )
  return [...new Set(names)]
}

/**
 * Returns the origins at which other devices reach the service: IPv4 addresses first, because every device
 * can use them. Link-local IPv6 addresses are left out, because a URL cannot contain their zone.
 */
export function originsOf(
  addresses: readonly NetworkAddress[],
  names: readonly string[],
  port: number,
): readonly string[] {
  const suffix = port === 443 ? '' : `:${port}`
  const usable = addresses.filter(({ zone }) => zone === null)
  const byFamily = (family: NetworkAddress['family']) =>
    usable.filter((entry) => entry.family === family).map(({ address }) => hostOf(address))
  const hosts = [...byFamily('IPv4'), ...byFamily('IPv6'), ...names.filter((name) => name.includes('.'))]
  return hosts.map((host) => `https://${host}${suffix}`)
}
