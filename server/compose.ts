import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../contract/index.ts'
import type { LiveAccess } from './auth/identity.ts'
import { composeAccounts } from './compose/accounts.ts'
import { composeCalls } from './compose/calls.ts'
import type { ComposeDeps } from './compose/deps.ts'
import { composeFoundation } from './compose/foundation.ts'
import { composeModels } from './compose/models.ts'
import { composePrompts } from './compose/prompts.ts'
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
import { findWorkspace } from './features/workspaces/workspaces.store.ts'
import { createReplay } from './history/replay.ts'
import { createGuard } from './http/guard.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createMetrics } from './http/metrics.ts'
import { onUpgrade } from './http/offers.ts'
import { createOutside } from './http/outside.ts'
import { createPipeline } from './http/pipeline.ts'
import { createHttpServer } from './http/server.ts'
import { isLoopbackPeer, remoteAddress, trustedProxies } from './lib/remote-address.ts'
import { serviceVersion } from './lib/version.ts'
import { createHub, type Hub } from './live/hub.ts'

const consoleDir = fileURLToPath(new URL('../renderer/', import.meta.url))

/** The one composition root: store → history → services → routes → http → live. Nothing else knows all of them. */
export async function compose(config: Config, deps: ComposeDeps) {
  const { clock, newId, logger } = deps
  const { dataDir } = config
  const closers: (() => Promise<void>)[] = []
  /** Ends what was started, the newest first. */
  const close = async () => {
    for (const end of closers.reverse()) await end()
    closers.length = 0
  }

  try {
    const closing = (end: () => Promise<void>) => void closers.push(end)
    const { store, db, bus, history, chain } = await composeFoundation(config, deps, closing)

    // The hub needs who is signed in, and what signs people out needs the hub: this is where the circle closes.
    let hub: Hub | null = null
    const liveAccess: LiveAccess = { recheck: (whose) => hub?.recheck(whose) }

    const accounts = await composeAccounts(config, deps, { db, history }, liveAccess, closing)
    const { settings, defaults, authenticator, permissionOverrides, auth, ownAccount, users, appTokens } =
      accounts
    const contents = [promptContents, ...workspaceContents]
    const workspaces = createWorkspacesService({ db, history, newId, contents })
    const onRunError = (err: unknown) => logger.error({ err }, 'upkeep of the run log failed')
    const runs = createRunsService({
      db,
      history,
      bus,
      clock,
      settings: () => settings.current(),
      payloadFolder: join(dataDir, 'payloads'),
      clientIdOf: ({ instanceId, actor }) =>
        instanceId === null ? null : (hub?.clientIdOf(instanceId, actor.name) ?? null),
      onError: onRunError,
    })
    closers.push(() => runs.close())
    const audit = createAuditService({ db, history, chain })
    const backupStore = createBackupStore(join(dataDir, 'backups'))
    const backups = createBackupsService({ db, history, store: backupStore, kept: config.backupsKept })

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
      guard,
      clock,
      newId,
      logger,
      config,
    })
    hub = live
    const clients = createClientsService({
      db,
      history,
      hub: live,
      servedVersions: (place) => servedVersionsOf(db.read, place),
    })
    const models = await composeModels(dataDir, { db, history, settings }, deps, closing)
    const prompts = composePrompts({ db, history, runs, hub: live }, deps, closing)

    const metrics = createMetrics({ db, clientCount: () => live.count() })
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
      },
      deps,
      closing,
    )

    const isTrusted = trustedProxies(config.trustedProxies)
    const pipeline = createPipeline({
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
        ...settingsRoutes(settings),
        ...tokensRoutes(appTokens),
        ...backupsRoutes(backups),
      ],
      db,
      authenticator,
      overrides: permissionOverrides,
      guard,
      idempotency: createIdempotency({ db }),
      metrics,
      clock,
      logger,
      remoteAddress: ({ socket, headers }) =>
        remoteAddress({
          socketAddress: socket.remoteAddress,
          forwardedFor: headers['x-forwarded-for'],
          isTrusted,
        }),
    })
    const outside = createOutside({
      endpoints,
      version: serviceVersion,
      consoleDir,
      db,
      metrics,
      authenticator,
      clock,
      isLoopbackPeer: ({ socket, headers }) => isLoopbackPeer(socket.remoteAddress, headers),
      defaultsInForce: () => defaults.inForce(),
    })
    const server = createHttpServer({ pipeline, outside, guard, logger })
    onUpgrade(server, (req, socket, head) => live.handleUpgrade(req, socket, head))

    chain.start()
    const daily = startDailyBackups({ backups, clock, newId, logger })
    closers.push(() => daily.close())
    const schedule = startRunSchedule({ runs, onError: onRunError })
    closers.push(() => schedule.close())
    settings.listen(() => schedule.soon())

    return {
      server,
      /** For a tool that fills a folder the way callers would, without a socket. */
      services: { users, workspaces, prompts: prompts.services, ...workflows.services, runs, settings },
      /** Tells a second process on the same data where this one listens. */
      announce: (url: string) => store.lock.announce(url),
      defaultsInForce: () => defaults.inForce(),
      closeSockets: () => live.close(),
      /** Ends executions and model calls under way, each with its record and run. */
      async stopCalls() {
        await workflows.services.executions.close()
        await calls.close()
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
