import type { Config } from '../config.ts'
import { endAll } from '../lib/end-all.ts'
import { composeAlerts } from './alerts.ts'
import { scheduleBackups } from './backups.ts'
import { type Base, composeBase } from './base.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import { composeHttp } from './http.ts'
import { composeMcp } from './interfaces/mcp.ts'
import { composeLan } from './lan.ts'
import { scheduleProviderChecks } from './models.ts'
import { scheduleRuns } from './runs.ts'
import { recoverEndedInstances } from './services/ended-instances.ts'
import { composeExecution, type Execution } from './services/execution.ts'
import { composeManagement, type Management } from './services/management.ts'
import { applyRemoteChanges } from './services/remote-changes.ts'
import { routesOf } from './services/routes.ts'
import { composeTelemetry } from './telemetry/receive.ts'

/**
 * The composition root: store → history → services → routes → HTTP → live. No other module knows all parts.
 */
export async function compose(config: Config, deps: ComposeDeps) {
  const closers: (() => Promise<void>)[] = []
  /** Closes the started parts, the newest first. */
  const close = async () => {
    // The store was started first and closes last. `endAll` continues after an error, so the data folder is
    // unlocked.
    await endAll(closers.splice(0).reverse())
  }
  try {
    const service = await composeService(config, deps, (closer) => void closers.push(closer))
    return { ...service, close }
  } catch (error) {
    await close().catch((err: unknown) => deps.logger.error({ err }, 'closing failed after a failed start'))
    throw error
  }
}

async function composeService(config: Config, deps: ComposeDeps, onClose: OnClose) {
  const base = await composeBase(config, deps, onClose)
  const { foundation, accounts, runs, live } = base
  const { settings, defaults } = accounts
  const execution = await composeExecution(config, deps, base, onClose)
  const { calls, workflows } = execution
  const management = await composeManagement(config, deps, base)
  const alerts = composeAlerts(config, deps, { ...foundation, runs, hub: live.live }, onClose)
  const activeDefaults = () => defaults.active()
  const lan = await composeLan(config, deps, { ...foundation, defaults, relay: base.lanRelay }, onClose)
  const apiRoutes = [...routesOf(base, execution, management), ...alerts.routes, ...lan.routes]
  const mcp = composeMcp(config, deps, {
    ...foundation,
    routes: apiRoutes,
    overrides: accounts.permissionOverrides,
    workspaces: management.workspaces,
    sessionKey: accounts.mcpSessionKey,
  })
  const { server, lanServer } = composeHttp(config, deps, {
    ...accounts,
    ...foundation,
    ...live,
    metrics: execution.metrics,
    routes: [...apiRoutes, ...mcp.routes],
    telemetry: composeTelemetry({ runs, traces: base.traces, settings }),
    overrides: accounts.permissionOverrides,
    gateway: calls.gateway,
    mayUnpairedSignIn: () => settings.current().lanPasswordSignIn,
    activeDefaults,
  })

  lan.listener.serve(lanServer)
  foundation.chain.start()
  schedule(config, deps, { base, execution, management }, onClose)
  applyRemoteChanges(foundation.cluster, {
    ...accounts,
    ...foundation,
    providers: execution.models.providers,
    liveAccess: base.liveAccess,
    hub: live.live,
  })
  await foundation.cluster.start()
  recoverEndedInstances(foundation.cluster, [calls.recovery, workflows.recovery], deps, onClose)

  return {
    server,
    services: servicesOf({ base, execution, management }),
    /**
     * Called when the service listens: writes this process's URL into the lock, for the error message of a
     * second process on the same folder, and starts the work that needs the URL.
     */
    announce(url: string) {
      foundation.store.lock.announce(url)
      alerts.start(url)
      base.telemetryExport?.start(url)
    },
    activeDefaults,
    /** Shares the service on the local network if the settings say so. */
    startSharing: () => lan.sharing.start(),
    /** Stops accepting connections from the local network. Resolves when the open ones are closed. */
    stopSharing: () => lan.sharing.stop(),
    closeSockets: () => endAll([mcp.close, live.live.close]),
    /** Stops running executions and model calls, and stores their results. */
    async stopCalls() {
      await accounts.pairing.stopWaiting()
      await workflows.services.executions.close()
      await Promise.all([calls.calls.close(), calls.gateway.close()])
    },
  }
}

type Parts = { readonly base: Base; readonly execution: Execution; readonly management: Management }

/** Starts scheduled work: backups, retention, roll-ups and checks of providers. */
function schedule(config: Config, deps: ComposeDeps, parts: Parts, onClose: OnClose): void {
  const { base, execution, management } = parts
  scheduleBackups(config, deps, management.backups, onClose)
  scheduleRuns(deps, { runs: base.runs, traces: base.traces, settings: base.accounts.settings }, onClose)
  const { providers } = execution.models
  const { cluster } = base.foundation
  scheduleProviderChecks(deps, { providers, cluster }, config.providerCheckMinutes, onClose)
}

/** Returns the services for tools that fill a data folder through them, without a socket. */
const servicesOf = ({ base, execution, management }: Parts) => ({
  users: base.accounts.users,
  workspaces: management.workspaces,
  prompts: execution.prompts.services,
  ...execution.workflows.services,
  runs: base.runs,
  settings: base.accounts.settings,
})
