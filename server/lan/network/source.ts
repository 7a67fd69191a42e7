import { hostname, networkInterfaces } from 'node:os'

/** One address of this computer. */
export type NetworkAddress = {
  /** The name of the network interface, such as `eth0`. */
  readonly name: string
  readonly address: string
  readonly family: 'IPv4' | 'IPv6'
  /** The zone of a link-local IPv6 address, which a socket needs; else null. */
  readonly zone: string | null
}

/** The network of this computer. Tests replace it. */
export type NetworkSource = {
  /** Returns the addresses without loopback, in the order of the operating system. */
  addresses(): readonly NetworkAddress[]
  hostName(): string
  /** Calls `check` when something may have changed, until the returned function is called. */
  watch(check: () => Promise<unknown>): () => void
}

/**
 * Interval of the checks, in milliseconds. Operating systems announce changes of addresses in different ways,
 * so they are polled.
 */
const intervalMs = 5_000

export const systemNetwork: NetworkSource = {
  addresses: () =>
    Object.entries(networkInterfaces()).flatMap(([name, entries = []]) =>
      entries.filter(({ internal }) => !internal).map((entry) => addressOf(name, entry)),
    ),
  hostName: hostname,
  watch(check) {
    const timer = setInterval(() => void check(), intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}

function addressOf(
  name: string,
  entry: NonNullable<ReturnType<typeof networkInterfaces>[string]>[number],
): NetworkAddress {
  const zone = process.platform === 'win32' && 'scopeid' in entry ? String(entry.scopeid) : name
  const isLinkLocal = entry.family === 'IPv6' && /^fe[89ab]/i.test(entry.address)
  return { name, address: entry.address, family: entry.family, zone: isLinkLocal ? zone : null }
}
