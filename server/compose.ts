import { join } from 'node:path'
import type { LiveAccess } from './auth/identity.ts'
import { composeAccounts } from './compose/accounts.ts'
import { composeCalls } from './compose/calls.ts'
import type { ComposeDeps } from './compose/deps.ts'
import { composeFoundation } from './compose/foundation.ts'
import { composeHttp } from './compose/http.ts'
import { composeModels } from './compose/models.ts'
import { composePrompts } from './compose/prompts.ts'
import { createWork } from './compose/work.ts'
import { composeWorkflows } from './compose/workflows.ts'
import type { Config } from './config.ts'
import { auditRoutes } from './features/audit/audit.routes.ts'
import { createAuditService } from './features/audit/audit.service.ts'
import { authRoutes } from './features/auth/auth.routes.ts'
import { backupsRoutes } from './features/backups/backups.routes.ts'
import { createBackupsService } from './features/backups/backups.service.ts'
import { createBackupStore } from './features/backups/backups.store.ts'
import { startDailyBackups } from './features/backups/daily.ts'
import { clientsRoutes } from './features/clients/clients.routes.ts'
import { createClientsService } from './features/clients/clients.service.ts'
import { promptContents } from './features/prompts/contents.store.ts'
import { servedVersionsOf } from './features/prompts/served.read.ts'
import { createRoleList } from './features/roles/roles.read.ts'
import { rolesRoutes } from './features/roles/roles.routes.ts'
import { runRoutes } from './features/runs/runs.routes.ts'
import { createRunsService } from './features/runs/runs.service.ts'
import { startRunSchedule } from './features/runs/schedule.ts'
import { settingsRoutes } from './features/settings/settings.routes.ts'
import { tokensRoutes } from './features/tokens/tokens.routes.ts'
import { usersRoutes } from './features/users/users.routes.ts'
import { workspaceContents } from './features/workspaces/workspaces.contents.store.ts'
import { workspacesRoutes } from './features/workspaces/workspaces.routes.ts'
import { createWorkspacesService } from './features/workspaces/workspaces.service.ts'
import { createReplay } from './history/replay.ts'
import { createGuard } from './http/guard.ts'
import { createMetrics } from './http/metrics/metrics.ts'
import { createOpenStreams } from './http/open-streams.ts'
import { principalOf } from './lib/context.ts'
import { endAll } from './lib/end-all.ts'
import { createHub, type Hub } from './live/hub.ts'
import { findWorkspace } from './resources/workspaces.read.ts'

/**
 * The composition root: store → history → services → routes → HTTP → live. No other module knows all parts.
 */
export async function compose(config: Config, deps: ComposeDeps) {
  const { clock, newId, logger } = deps
  const { dataDir } = config
  const closers: (() => Promise<void>)[] = []
  /** Closes the started parts, the newest first. */
  const close = async () => {
    // The store was started first and closes last. `endAll` continues after an error, so the data folder is
    // unlocked.
    await endAll(closers.splice(0).reverse())
  }

  try {
    const closing = (end: () => Promise<void>) => void closers.push(end)
    const { store, db, bus, history, chain, deletion } = await composeFoundation(config, deps, closing)

    // The hub needs the authenticator, and services that revoke access need the hub. This object breaks the
    // cycle.
    let hub: Hub | null = null
    const audiences: LiveAccess[] = []
    const liveAccess: LiveAccess = {
      recheck(whose) {
        for (const audience of audiences) audience.recheck(whose)
      },
      move(fromSessionId, token) {
        for (const audience of audiences) audience.move(fromSessionId, token)
      },
    }

    const accounts = await composeAccounts(config, deps, { db, history, deletion }, liveAccess, closing)
    const { settings, defaults, authenticator, permissionOverrides, auth, ownAccount, users, appTokens } =
      accounts
    const contents = [promptContents, ...workspaceContents]
    const workspaces = createWorkspacesService({ db, history, newId, contents })
    const onRunError = (err: unknown) => logger.error({ err }, 'upkeep of the run log failed')
    const runs = createRunsService({
      db,
      history,
      bus,
      deletion,
      settings: () => settings.current(),
      payloadFolder: join(dataDir, 'payloads'),
      clientIdOf: ({ instanceId, actor }) =>
        instanceId === null ? null : (hub?.clientIdOf(instanceId, principalOf(actor)) ?? null),
      onError: onRunError,
    })
    closers.push(() => runs.close())
    const audit = createAuditService({ db, history, chain })
    const backupStore = createBackupStore(join(dataDir, 'backups'))
    await backupStore.removeTemporary()
    const backups = createBackupsService({
      db,
      history,
      store: backupStore,
      kept: config.backupsKept,
      mayDelete: () => deletion.now() !== null,
    })

    const guard = createGuard({
      host: config.host,
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
    })
    const live = await createHub({
      authenticator,
      bus,
      replay: createReplay(db),
      findWorkspace: async (idOrSlug) => (await findWorkspace(db.read, idOrSlug)) ?? null,
      overrides: permissionOverrides,
      guard,
      clock,
      newId,
      logger,
      config,
      limits: {
        maxConnections: config.limits.liveConnections,
        maxPerSession: config.limits.liveConnectionsPerSession,
      },
    })
    hub = live
    const openStreams = createOpenStreams({ authenticator, overrides: permissionOverrides, clock, logger })
    audiences.push(live, openStreams)
    const clients = createClientsService({
      db,
      history,
      hub: live,
      servedVersions: (place) => servedVersionsOf(db.read, place),
    })
    const { limits } = config
    const queue = { perPrincipal: limits.providerQueuePerPrincipal, total: limits.providerQueue }
    const models = await composeModels(dataDir, { db, history, settings, queue }, deps, closing)
    const work = createWork()
    closing(() => work.close())
    const prompts = composePrompts({ db, history, runs, hub: live, work, deletion }, deps, closing)

    const metrics = createMetrics({ db, clientCount: () => live.count(), modelLoad: models.models.load })
    const { calls, routes: callRoutes } = await composeCalls(
      { db, models: models.models, runs, prompts: prompts.services, metrics },
      deps,
      closing,
    )

    const workflows = await composeWorkflows(
      {
        db,
        bus,
        history,
        calls,
        captured: runs.captured,
        retentionDays: () => settings.current().runRetentionDays,
        work,
        deletion,
      },
      deps,
      closing,
    )

    const server = composeHttp(config, deps, {
      routes: [
        ...authRoutes(auth, ownAccount),
        ...rolesRoutes(createRoleList({ db, permissionOverrides })),
        ...usersRoutes(users),
        ...workspacesRoutes(workspaces),
        ...prompts.routes,
        ...models.routes,
        ...runRoutes(runs),
        ...callRoutes,
        ...workflows.routes,
        ...auditRoutes(audit),
        ...clientsRoutes(clients),
        ...settingsRoutes(settings, deletion),
        ...tokensRoutes(appTokens),
        ...backupsRoutes(backups),
      ],
      db,
      authenticator,
      overrides: permissionOverrides,
      openStreams,
      guard,
      metrics,
      live,
      deletion,
      defaultsInForce: () => defaults.inForce(),
    })

    chain.start()
    const daily = startDailyBackups({ backups, clock, newId, logger })
    closers.push(() => daily.close())
    const schedule = startRunSchedule({ runs, onError: onRunError })
    closers.push(() => schedule.close())
    settings.listen(() => schedule.soon())

    return {
      server,
      /** For tools that fill a data folder through the services, without a socket. */
      services: { users, workspaces, prompts: prompts.services, ...workflows.services, runs, settings },
      /**
       * Writes this process's URL into the lock, for the error message of a second process on the same
       * folder.
       */
      announce: (url: string) => store.lock.announce(url),
      defaultsInForce: () => defaults.inForce(),
      closeSockets: () => live.close(),
      /** Stops running executions and model calls, and stores their results. */
      async stopCalls() {
        await workflows.services.executions.close()
        await calls.close()
      },
      close,
    }
  } catch (error) {
    await close().catch((err: unknown) =>
      logger.error({ err }, 'a service that did not start closed incompletely'),
    )
    throw error
  }
}
