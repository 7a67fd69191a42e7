import type { NetworkBlockerCode, NetworkDiscovery, NetworkState } from '../../contract/system/network.ts'
import type { Credentials } from './certificates/credentials.ts'
import type { NetworkAddress } from './network/source.ts'

/** The options that the admin or the environment chose. */
export type SharingChoice = {
  readonly isEnabled: boolean
  /** Names of interfaces or addresses; null: all, including later ones. */
  readonly interfaces: readonly string[] | null
  readonly port: number
  /** Null: the host name. */
  readonly name: string | null
  /** Announces the service on the network while it is shared. */
  readonly isDiscoverable: boolean
}

/** A reason why the service is not shared, or not on every address, with what to do. */
export type Blocker = { readonly code: NetworkBlockerCode; readonly message: string }

/** The current state of sharing. Replaced as a whole. */
export type SharingStatus = {
  readonly state: NetworkState
  readonly name: string
  /** The port in use, or the chosen one while nothing listens. */
  readonly port: number
  /** The HTTPS origins of the service; empty unless it is shared. */
  readonly origins: readonly string[]
  readonly interfaces: readonly (NetworkAddress & { readonly isSelected: boolean })[]
  readonly credentials: Credentials | null
  readonly words: readonly string[]
  readonly blockers: readonly Blocker[]
  readonly discovery: NetworkDiscovery
}
