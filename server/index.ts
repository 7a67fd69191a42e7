import type { Logger } from 'pino'
import { isLoopbackHost } from './auth/binding.ts'
import { compose } from './compose/compose.ts'
import { type ComposeDeps, systemDeps } from './compose/deps.ts'
import type { Config } from './config.ts'
import type { StoreSubstitutes } from './db/engines/sqljs/open.ts'
import { listen } from './http/server.ts'
import type { OpenMulticast } from './lan/discovery/multicast.ts'
import type { NetworkSource } from './lan/network/source.ts'
import type { Clock } from './lib/clock.ts'
import { endAll } from './lib/end-all.ts'
import type { Every } from './lib/every.ts'
import type { NewId } from './lib/ids.ts'
import { createLogger } from './lib/logger.ts'
import type { Resolve } from './outbound/targets.ts'
import type { OsKeyStore } from './secrets/os-key-store.ts'

export type { OsKeyStore } from './secrets/os-key-store.ts'
export type { ServerClient } from './tools/desktop/server-client.ts'
export type { ServerFailure } from './tools/desktop/server-failure.ts'

/** Dependencies that tests or the desktop app replace. */
export type Substitutes = {
  readonly clock?: Clock
  readonly newId?: NewId
  readonly logger?: Logger
  /** bcrypt cost; 12 by default, less in tests. */
  readonly passwordCost?: number
  /** Sizes of the store. Tests make them small, so that they use several segments. */
  readonly store?: StoreSubstitutes
  /** The operating system's store for secrets, which only the desktop app can reach. */
  readonly osKeyStore?: OsKeyStore
  /** Resolves the host names of model providers. */
  readonly resolve?: Resolve
  /** The timer of the background checks of model providers. */
  readonly every?: Every
  /** The network interfaces and the host name of this computer. */
  readonly network?: NetworkSource
  /** Opens multicast DNS on one interface of this computer. */
  readonly multicast?: OpenMulticast
  /** Called once when the store can no longer store changes. The process should end. */
  readonly onFatal?: (error: Error) => void
}

export type RunningServer = {
  /** The origin to open, such as `http://127.0.0.1:4780`. */
  readonly url: string
  /**
   * Closes sockets with 1001, lets requests finish, writes what is only in memory, releases the data folder.
   */
  close(): Promise<void>
}

/** Maximum time to finish requests after the service was asked to stop, in milliseconds. */
const graceMs = 5_000
/** Interval at which connections without a request are closed while the service stops, in milliseconds. */
const idleCheckMs = 50

/** Starts the whole service. Rejects with a message that states what to do. */
export async function startServer(config: Config, substitutes: Substitutes = {}): Promise<RunningServer> {
  const logger = substitutes.logger ?? createLogger(config)
  const onFatal = (error: Error) => logger.fatal({ err: error }, 'the store failed')
  const deps: ComposeDeps = { ...systemDeps, onFatal, ...substitutes, logger }
  const service = await compose(config, deps)
  const { server } = service
  let url: string
  try {
    url = await listen(server, config.host, config.port)
  } catch (error) {
    await service.close()
    throw error
  }
  service.announce(url)
  logger.info({ url, dataDir: config.dataDir }, 'listening')
  if (!isLoopbackHost(config.host)) {
    logger.warn(
      `HOST=${config.host} opens plain HTTP, which exposes passwords on the network. LAN=on shares the service over TLS.`,
    )
  }
  const defaults = service.activeDefaults()
  const active = [defaults.password && 'the admin password', defaults.token && 'the service token'].filter(
    Boolean,
  )
  if (active.length > 0) logger.warn(`Built-in credentials are active: ${active.join(' and ')}. Change them.`)

  await service.startSharing()

  let closing: Promise<void> | null = null
  const close = async () => {
    const unshared = service.stopSharing()
    const ended = new Promise<void>((resolve) => server.close(() => resolve()))
    const finishRequests = async () => {
      server.closeIdleConnections()
      // A kept-alive connection becomes idle with its reply; nothing announces it.
      const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckMs)
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await Promise.all([ended, unshared])
      clearInterval(idleCheck)
      clearTimeout(timer)
    }
    // `endAll` continues after an error, so the data folder is released in any case.
    const stopWork = () => endAll([service.closeSockets, service.stopCalls])
    await endAll([stopWork, finishRequests, service.close])
  }
  return {
    url,
    close() {
      closing ??= close()
      return closing
    },
  }
}
