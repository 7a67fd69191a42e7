import type { Config } from '../config.ts'
import { createTracesService } from '../features/traces/traces.service.ts'
import { composeAccounts } from './accounts/accounts.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import { composeFoundation } from './foundation/foundation.ts'
import { createLanRelay } from './lan.ts'
import { composeLive, createLiveRelay } from './live.ts'
import { composeRuns } from './runs.ts'
import { composeTelemetryExport } from './telemetry/export.ts'

export type Base = Awaited<ReturnType<typeof composeBase>>

/** Creates what the other services need: store, accounts, run log and live connections. */
export async function composeBase(config: Config, deps: ComposeDeps, onClose: OnClose) {
  const foundation = await composeFoundation(config, deps, onClose)
  const relay = createLiveRelay()
  const lanRelay = createLanRelay()
  const accountParts = { ...foundation, network: lanRelay.pairing }
  const accounts = await composeAccounts(config, deps, accountParts, relay.access, onClose)
  const { settings, authenticator, permissionOverrides: overrides } = accounts
  const telemetryExport = composeTelemetryExport(config, deps, foundation.store.storeId, onClose)
  const runParts = { ...foundation, settings, relay, telemetryExport }
  const runs = await composeRuns(config, deps, runParts, onClose)
  const traces = createTracesService({
    ...foundation,
    deletion: foundation.ownDeletion,
    runRetentionDays: () => settings.current().runRetentionDays,
  })
  const live = await composeLive(config, deps, {
    ...foundation,
    authenticator,
    overrides,
    relay,
    lanHosts: lanRelay.hosts,
  })
  return { foundation, accounts, runs, traces, telemetryExport, live, lanRelay, liveAccess: relay.access }
}
