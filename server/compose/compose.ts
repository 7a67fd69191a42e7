import type { Config } from '../config.ts'
import { auditRoutes } from '../features/audit/audit.routes.ts'
import { createAuditService } from '../features/audit/audit.service.ts'
import { authRoutes } from '../features/auth/auth.routes.ts'
import { backupsRoutes } from '../features/backups/backups.routes.ts'
import { visibleClients } from '../features/clients/clients.read.ts'
import { clientsRoutes } from '../features/clients/clients.routes.ts'
import { createClientsService } from '../features/clients/clients.service.ts'
import { devicesRoutes } from '../features/devices/devices.routes.ts'
import { pairingRoutes } from '../features/pairing/pairing.routes.ts'
import { servedVersionsOf } from '../features/prompts/served/served.read.ts'
import { promptContents } from '../features/prompts/state/contents.store.ts'
import { createRoleList } from '../features/roles/roles.read.ts'
import { rolesRoutes } from '../features/roles/roles.routes.ts'
import { runRoutes } from '../features/runs/runs.routes.ts'
import { searchRoutes } from '../features/search/search.routes.ts'
import { createSearchService } from '../features/search/search.service.ts'
import { settingsRoutes } from '../features/settings/settings.routes.ts'
import { tokensRoutes } from '../features/tokens/tokens.routes.ts'
import { usersRoutes } from '../features/users/users.routes.ts'
import { viewsRoutes } from '../features/views/views.routes.ts'
import { createViewsService } from '../features/views/views.service.ts'
import { workspaceContents } from '../features/workspaces/workspaces.contents.store.ts'
import { workspacesRoutes } from '../features/workspaces/workspaces.routes.ts'
import { createWorkspacesService } from '../features/workspaces/workspaces.service.ts'
import { createMetrics } from '../http/metrics/metrics.ts'
import type { Route } from '../http/route.ts'
import { endAll } from '../lib/end-all.ts'
import { removeMembershipsIn } from '../resources/memberships.ts'
import { composeAlerts } from './alerts.ts'
import { composeBackups, scheduleBackups } from './backups.ts'
import { type Base, composeBase } from './base.ts'
import { composeCalls } from './calls.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import { composeHttp } from './http.ts'
import { createJobs } from './jobs/jobs.ts'
import { composeLan } from './lan.ts'
import { composeModels, scheduleProviderChecks } from './models.ts'
import { composePrompts } from './prompts.ts'
import { scheduleRuns } from './runs.ts'
import { composeSampleData } from './sample-data.ts'
import { composeWorkflows } from './workflows.ts'

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
  const { store, chain } = foundation
  const { settings, defaults, users } = accounts
  const execution = await composeExecution(config, deps, base, onClose)
  const { prompts, calls, workflows } = execution
  const management = await composeManagement(config, deps, base)
  const alerts = composeAlerts(config, deps, { ...foundation, runs, hub: live.live }, onClose)
  const activeDefaults = () => defaults.active()
  const lan = await composeLan(config, deps, { ...foundation, defaults, relay: base.lanRelay }, onClose)
  const { server, lanServer } = composeHttp(config, deps, {
    ...foundation,
    ...live,
    metrics: execution.metrics,
    routes: [...routesOf(base, execution, management), ...alerts.routes, ...lan.routes],
    authenticator: accounts.authenticator,
    overrides: accounts.permissionOverrides,
    devices: accounts.devices,
    mayUnpairedSignIn: () => settings.current().lanPasswordSignIn,
    activeDefaults,
  })

  lan.listener.serve(lanServer)
  chain.start()
  scheduleBackups(config, deps, management.backups, onClose)
  scheduleRuns(deps, { runs, settings }, onClose)
  scheduleProviderChecks(deps, execution.models.providers, config.providerCheckMinutes, onClose)

  return {
    server,
    /** For tools that fill a data folder through the services, without a socket. */
    services: {
      users,
      workspaces: management.workspaces,
      prompts: prompts.services,
      ...workflows.services,
      runs,
      settings,
    },
    /**
     * Called when the service listens: writes this process's URL into the lock, for the error message of a
     * second process on the same folder, and starts the work that needs the URL.
     */
    announce(url: string) {
      store.lock.announce(url)
      alerts.start(url)
    },
    activeDefaults,
    /** Shares the service on the local network if the settings say so. */
    startSharing: () => lan.sharing.start(),
    /** Stops accepting connections from the local network. Resolves when the open ones are closed. */
    stopSharing: () => lan.sharing.stop(),
    closeSockets: () => live.live.close(),
    /** Stops running executions and model calls, and stores their results. */
    async stopCalls() {
      await accounts.pairing.stopWaiting()
      await workflows.services.executions.close()
      await calls.calls.close()
    },
  }
}

type Execution = Awaited<ReturnType<typeof composeExecution>>
type Management = Awaited<ReturnType<typeof composeManagement>>

/** Creates what runs prompts: providers, prompts, model calls, agents and workflows. */
async function composeExecution(config: Config, deps: ComposeDeps, base: Base, onClose: OnClose) {
  const { limits } = config
  const { db, bus, history, deletion, vault } = base.foundation
  const { settings } = base.accounts
  const { runs } = base
  const hub = base.live.live
  const queue = { perPrincipal: limits.providerQueuePerPrincipal, total: limits.providerQueue }
  const models = await composeModels({ db, bus, history, vault, settings, queue }, deps)
  const jobs = createJobs()
  onClose(() => jobs.close())
  const prompts = composePrompts({ db, history, runs, hub, jobs, deletion }, deps, onClose)
  const metrics = createMetrics({ db, clientCount: () => hub.count(), modelLoad: models.models.load })
  const calls = await composeCalls(
    { db, models: models.models, runs, prompts: prompts.services, metrics },
    deps,
    onClose,
  )
  const workflows = await composeWorkflows(
    {
      db,
      bus,
      history,
      calls: calls.calls,
      captured: runs.captured,
      retentionDays: () => settings.current().runRetentionDays,
      jobs,
      deletion,
      hasProvider: models.providers.has,
    },
    deps,
    onClose,
  )
  return { models, prompts, metrics, calls, workflows }
}

/** Creates the services of workspaces, clients, the audit log and backups. */
async function composeManagement(
  config: Config,
  { newId }: ComposeDeps,
  { foundation, live, liveAccess }: Base,
) {
  const { db, history, chain } = foundation
  const contents = [promptContents, ...workspaceContents]
  return {
    workspaces: createWorkspacesService({
      db,
      history,
      newId,
      contents,
      async onDeleted(tx, workspaceId) {
        const owners = await removeMembershipsIn(tx.q, workspaceId)
        tx.afterCommit(() => {
          for (const userId of owners) liveAccess.recheck({ userId })
        })
      },
    }),
    clients: createClientsService({
      db,
      history,
      hub: live.live,
      servedVersions: (place) => servedVersionsOf(db.read, place),
    }),
    audit: createAuditService({ db, history, chain }),
    views: createViewsService({ db, history, newId }),
    backups: await composeBackups(config, foundation),
  }
}

function routesOf(base: Base, execution: Execution, management: Management): Route[] {
  const { db, deletion } = base.foundation
  const { signIn, users, appTokens, pairing, pairedDevices, settings, permissionOverrides } = base.accounts
  const { prompts, workflows } = execution
  const sampleData = composeSampleData({
    db,
    workspaces: management.workspaces,
    ...prompts.services,
    erasePrompt: prompts.erase,
    ...workflows.services,
    runs: base.runs,
    runRetentionDays: () => settings.current().runRetentionDays,
  })
  return [
    ...authRoutes(signIn),
    ...rolesRoutes(createRoleList({ db, permissionOverrides })),
    ...usersRoutes(users),
    ...workspacesRoutes(management.workspaces),
    ...execution.prompts.routes,
    ...execution.models.routes,
    ...runRoutes(base.runs),
    ...execution.calls.routes,
    ...execution.workflows.routes,
    ...auditRoutes(management.audit),
    ...viewsRoutes(management.views),
    ...clientsRoutes(management.clients),
    ...settingsRoutes(settings, deletion),
    ...sampleData.routes,
    ...tokensRoutes(appTokens),
    ...pairingRoutes(pairing),
    ...devicesRoutes(pairedDevices),
    ...backupsRoutes(management.backups),
    ...searchRoutes(
      createSearchService({
        db,
        permissionOverrides,
        clients: (ctx) => visibleClients(ctx, base.live.live.clients({ includeDisconnected: false })),
      }),
    ),
  ]
}
