import { join } from 'node:path'
import type { ProviderName } from '../../contract/models/models.ts'
import type { Db } from '../db/types.ts'
import { createConnectionTest } from '../features/providers/connection-test.ts'
import { providersRoutes } from '../features/providers/providers.routes.ts'
import { createProvidersService } from '../features/providers/providers.service.ts'
import type { SettingsService } from '../features/settings/settings.service.ts'
import type { History } from '../history/history.ts'
import { createModels } from '../models/create-models.ts'
import { ModelError } from '../models/model.ts'
import type { QueueBounds } from '../models/policies/fair-queue.ts'
import { refusalOf } from '../outbound/check-address.ts'
import { createOutboundFetch } from '../outbound/fetch.ts'
import { OutboundRefused } from '../outbound/targets.ts'
import { openKeyRing } from '../secrets/key-ring.ts'
import { createVault } from '../secrets/vault.ts'
import type { ComposeDeps, OnClose } from './deps.ts'

/** Creates the model providers: their settings, and the guarded requests to them. */
export async function composeModels(
  dataDir: string,
  parts: {
    readonly db: Db
    readonly history: History
    readonly settings: SettingsService
    readonly queue: QueueBounds
  },
  deps: ComposeDeps,
  onClose: OnClose,
) {
  const { db, history, settings } = parts
  const ring = await openKeyRing({
    folder: join(dataDir, 'keys'),
    osStore: deps.osKeyStore,
    logger: deps.logger,
  })
  onClose(() => ring.settled())

  /** Called at each request, so that a change of a provider's `isLocal` takes effect at once. */
  let isLocal: (name: ProviderName) => boolean = () => false
  const fetchOf =
    (name: ProviderName): typeof globalThis.fetch =>
    async (input, init) => {
      try {
        return await createOutboundFetch({ isLocal: isLocal(name), resolve: deps.resolve })(input, init)
      } catch (error) {
        if (error instanceof OutboundRefused) {
          throw new ModelError('host_refused', error.message, { cause: error })
        }
        throw error
      }
    }

  const vault = createVault(ring)
  const providers = await createProvidersService({
    db,
    history,
    vault,
    refusalOf: (address, options) => refusalOf(address, { ...options, resolve: deps.resolve }),
    testConnection: createConnectionTest({ fetchOf }),
    prices: {
      all: () => settings.current().prices,
      put: (tx, ctx, provider, prices) => settings.putPricesOf(tx, ctx, provider, prices),
    },
  })
  isLocal = (name) => providers.settingsOf(name).isLocal
  const models = createModels({
    settingsOf: (name) => providers.settingsOf(name),
    fetchOf,
    queue: parts.queue,
  })
  return { routes: providersRoutes(providers), models, vault }
}
