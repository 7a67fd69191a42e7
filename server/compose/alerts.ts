import type { Config } from '../config.ts'
import type { Tx } from '../db/types.ts'
import { alertsRoutes } from '../features/alerts/alerts.routes.ts'
import { createAlertsService } from '../features/alerts/alerts.service.ts'
import { deliverDue } from '../features/alerts/delivery/deliver.ts'
import { createEvaluator } from '../features/alerts/evaluation/evaluator.ts'
import { createScheduler } from '../features/alerts/scheduler.ts'
import { withConvergence } from '../features/clients/convergence.ts'
import { servedVersionsOf } from '../features/prompts/served/served.read.ts'
import type { RunsService } from '../features/runs/runs.service.ts'
import { systemContext } from '../lib/context.ts'
import type { Hub } from '../live/hub.ts'
import { refusalOf } from '../outbound/check-address.ts'
import { createOutboundFetch } from '../outbound/fetch.ts'
import type { Vault } from '../secrets/vault.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Foundation } from './foundation/foundation.ts'

/** Maximum size of the reply of a webhook's receiver. Its body is ignored. */
const maxReplyBytes = 64 * 1024
/** Time limits of a delivery, in milliseconds. */
const timeLimits = { connectLimitMs: 5_000, headerLimitMs: 10_000 }

/** Creates the alerts: their service, evaluation and webhooks. `start` begins the evaluation. */
export function composeAlerts(
  config: Config,
  deps: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'history' | 'cluster'> & {
    readonly vault: Vault
    readonly runs: Pick<RunsService, 'stats'>
    readonly hub: Pick<Hub, 'clients'>
  },
  onClose: OnClose,
) {
  const { db, history, cluster, vault, runs, hub } = parts
  const { clock, newId, logger, resolve } = deps
  let origin = config.publicUrl ?? `http://${config.host}:${config.port}`
  const onError = (err: unknown) => logger.error({ err }, 'the work of alerts failed')
  const guard = { owner: 'webhook', resolve } as const
  const sending = {
    vault,
    clock,
    fetchOf: ({ isLocal }: { readonly isLocal: boolean }) =>
      createOutboundFetch({ ...guard, ...timeLimits, isLocal, maxReplyBytes }),
  }
  const events = { newId, origin: () => origin }
  const announce = (tx: Tx, { id, workspace_id: workspaceId }: { id: string; workspace_id: string | null }) =>
    history.announce(tx, { entity: 'alert', id, workspaceId, at: clock.now() })
  const evaluator = createEvaluator({
    ...events,
    db,
    clock,
    announce,
    onError,
    stats: (query) => runs.stats(systemContext(clock.now(), `alerts_${newId()}`), query),
    clients: () =>
      // Exclude clients without a workspace, such as those that name one that does not exist.
      withConvergence(
        hub.clients({ includeDisconnected: false }).filter(({ workspaceId }) => workspaceId !== null),
        (place) => servedVersionsOf(db.read, place),
      ),
  })
  const scheduler = createScheduler({
    clock,
    onError,
    storeStatus: () => db.status(),
    // One instance evaluates and delivers for all.
    async evaluateAll(signal) {
      if (cluster.isLeader()) await evaluator.evaluateAll(signal)
    },
    async deliverDue(signal) {
      if (cluster.isLeader()) await deliverDue({ ...sending, db, announce, onError }, signal)
    },
  })
  onClose(() => scheduler.close())
  const service = createAlertsService({
    ...sending,
    ...events,
    db,
    history,
    evaluator,
    scheduler,
    refusalOf: (address, { isLocal }) => refusalOf(address, { ...guard, isLocal }),
  })
  return {
    routes: alertsRoutes(service),
    /** Starts the evaluation. `url` is the address at which the service listens. */
    start(url: string) {
      origin = config.publicUrl ?? url
      scheduler.start()
    },
  }
}
