import type { Cluster } from '../cluster/cluster.ts'
import { createNamedResults } from '../cluster/named-results.ts'
import type { Db } from '../db/types.ts'
import { createConnectionTest } from '../features/providers/checks/connection-test.ts'
import { createHealthLog, type Health } from '../features/providers/checks/health.ts'
import { startProviderChecks } from '../features/providers/checks/schedule.ts'
import { providersRoutes } from '../features/providers/providers.routes.ts'
import { createProvidersService, type ProvidersService } from '../features/providers/providers.service.ts'
import type { SettingsService } from '../features/settings/settings.service.ts'
import type { Bus } from '../history/events/bus.ts'
import type { History } from '../history/history.ts'
import { minuteMs } from '../lib/durations.ts'
import { isStopping } from '../lib/fail.ts'
import { createModels } from '../models/create-models.ts'
import { ModelError } from '../models/model.ts'
import type { QueueBounds } from '../models/policies/fair-queue.ts'
import { refusalOf } from '../outbound/check-address.ts'
import { createOutboundFetch } from '../outbound/fetch.ts'
import { OutboundRefused } from '../outbound/targets.ts'
import type { Vault } from '../secrets/vault.ts'
import type { ComposeDeps, OnClose } from './deps.ts'

/** Creates the model providers: their settings, and the guarded requests to them. */
export async function composeModels(
  parts: {
    readonly db: Db
    readonly vault: Vault
    readonly bus: Bus
    readonly cluster: Pick<Cluster, 'isShared'>
    readonly history: History
    readonly settings: SettingsService
    readonly queue: QueueBounds
  },
  deps: ComposeDeps,
) {
  const { db, bus, history, settings, vault, cluster } = parts
  const { clock, logger } = deps
  const guardedFetch =
    (isLocal: () => boolean): typeof globalThis.fetch =>
    async (input, init) => {
      try {
        return await createOutboundFetch({ isLocal: isLocal(), resolve: deps.resolve })(input, init)
      } catch (error) {
        if (error instanceof OutboundRefused) {
          throw new ModelError('host_refused', error.message, { cause: error })
        }
        throw error
      }
    }

  const providers = await createProvidersService({
    db,
    history,
    vault,
    refusalOf: (address, options) => refusalOf(address, { ...options, resolve: deps.resolve }),
    testConnection: createConnectionTest({ fetchFor: ({ isLocal }) => guardedFetch(() => isLocal) }),
    health: createHealthLog({
      clock,
      onChange: () => bus.announce({ kind: 'providers' }),
      shared: cluster.isShared ? createNamedResults<Health>({ db, clock, scope: 'provider health' }) : null,
      onError(err) {
        if (!isStopping(err)) logger.error({ err }, 'the state of a model provider could not be shared')
      },
    }),
    prices: {
      all: () => settings.current().prices,
      put: (tx, ctx, provider, prices) => settings.putPricesOf(tx, ctx, provider, prices),
    },
  })
  const models = createModels({
    providerOf: providers.factsOf,
    settingsOf: providers.settingsOf,
    // Read at each request, so that a change of a provider's `isLocal` takes effect immediately.
    fetchOf: (name) => guardedFetch(() => providers.settingsOf(name).isLocal),
    observe: providers.observeCall,
    queue: parts.queue,
  })
  return { providers, routes: providersRoutes(providers), models }
}

/**
 * Starts the background checks of the providers, unless the configuration turns them off. One instance checks for all.
 */
export function scheduleProviderChecks(
  { clock, every, logger }: ComposeDeps,
  parts: { readonly providers: ProvidersService; readonly cluster: Pick<Cluster, 'isShared' | 'isLeader'> },
  intervalMinutes: number,
  onClose: OnClose,
): void {
  const { providers, cluster } = parts
  if (intervalMinutes === 0) return
  const onError = (err: unknown) => logger.error({ err }, 'the check of a model provider failed')
  const inLeader = (work: () => void) => (): void => {
    if (!cluster.isLeader()) return
    if (!cluster.isShared) work()
    // Also checks providers that only other instances have called.
    else void providers.refreshHealth().then(work, onError)
  }
  const checks = startProviderChecks({
    targets: providers.checkTargets,
    check: providers.check,
    now: () => clock.now(),
    every: (ms, work) => every(ms, inLeader(work)),
    random: Math.random,
    intervalMs: intervalMinutes * minuteMs,
    onError,
  })
  onClose(() => checks.close())
}
