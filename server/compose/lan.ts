import { join } from 'node:path'
import { credentialRefusals } from '../auth/binding.ts'
import type { DefaultCredentials } from '../auth/defaults.ts'
import type { Config } from '../config.ts'
import { createNetworkMemory, rememberAuthority } from '../features/network/network.memory.ts'
import { networkRoutes } from '../features/network/network.routes.ts'
import { createNetworkService } from '../features/network/network.service.ts'
import type { PairingNetwork } from '../features/pairing/pairing.wire.ts'
import type { LanHosts } from '../http/guard.ts'
import { createAddressLimit } from '../http/limits/address-limit.ts'
import type { KeySeal } from '../lan/certificates/authority-file.ts'
import { createCertificates } from '../lan/certificates/manager.ts'
import { createAdvertiser } from '../lan/discovery/advertiser.ts'
import { createLanListener } from '../lan/listener/listener.ts'
import { createSharing, type Sharing } from '../lan/sharing.ts'
import { createTrustServer } from '../lan/trust/server.ts'
import { systemContext } from '../lib/context.ts'
import { isLoopbackAddress, trustedProxies } from '../lib/remote-address.ts'
import type { Vault } from '../secrets/vault.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Foundation } from './foundation/foundation.ts'

/** Provides the state of the LAN listener to the guard and to pairing, which are created before it. */
export type LanRelay = {
  hosts(): LanHosts | null
  /** Returns how devices on the network reach the service; null while sharing is off. */
  pairing(): PairingNetwork | null
  connect(sharing: Sharing): void
}

export function createLanRelay(): LanRelay {
  let sharing: Sharing | null = null
  return {
    hosts: () => sharing?.hosts() ?? null,
    pairing() {
      const identity = sharing?.identity() ?? null
      if (sharing === null || identity === null) return null
      return { identity, addresses: sharing.status().origins.map((origin) => new URL(origin).host) }
    },
    connect(created) {
      sharing = created
    },
  }
}

/** Creates the LAN listener, its certificates and its settings. It starts with `sharing.start()`. */
export async function composeLan(
  config: Config,
  deps: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'history'> & {
    readonly vault: Vault
    readonly defaults: DefaultCredentials
    readonly relay: LanRelay
  },
  onClose: OnClose,
) {
  const { clock, newId, logger } = deps
  const { db, history, defaults } = parts
  const memory = await createNetworkMemory(db, config.lan)
  const refusals = () => credentialRefusals(config, defaults.active())
  const certificates = createCertificates({
    file: join(config.dataDir, 'keys', 'lan-ca.pem'),
    seal: keySeal(deps, parts.vault),
    own: config.lan.own,
    knownAuthority: () => memory.stored().authority,
    remember: (fingerprint) =>
      rememberAuthority({ db, memory }, systemContext(clock.now(), `lan_${newId()}`), fingerprint),
    logger,
  })
  const listener = createLanListener({
    trust: createTrustServer(() => sharing.trustFacts()),
    admit: admitAddresses(config, deps),
  })
  const sharing: Sharing = createSharing({
    source: deps.network,
    certificates,
    listener,
    advertiser: createAdvertiser({ open: deps.multicast, nowMs: () => clock.now().getTime() }),
    choice: memory.choice,
    refusals,
    clock,
    logger,
  })
  onClose(() => sharing.close())
  parts.relay.connect(sharing)
  onClose(async () => unlisten())
  const unlisten = defaults.listen(() => void sharing.check())
  const network = createNetworkService({ db, history, config: config.lan, memory, sharing, refusals })
  return { listener, sharing, routes: networkRoutes(network) }
}

/** In the desktop app, the key of the authority is encrypted with a key from the OS key store. */
const keySeal = ({ osKeyStore }: ComposeDeps, vault: Vault): KeySeal => ({
  isUsed: osKeyStore?.use === 'os',
  seal: (text) => vault.seal('lan', 'authority', text),
  open: (sealed) => vault.open('lan', 'authority', sealed),
})

function admitAddresses(config: Config, { logger }: ComposeDeps) {
  const isTrusted = trustedProxies(config.trustedProxies)
  return createAddressLimit({
    perAddress: config.limits.connectionsPerAddress,
    isExempt: (address) => isLoopbackAddress(address) || isTrusted(address),
    onRefused: (address) => logger.warn({ address }, 'rejected a connection: too many from its address'),
  })
}
