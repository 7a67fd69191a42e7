import type { Config } from '../../config.ts'
import { createMetrics } from '../../http/metrics/metrics.ts'
import type { Base } from '../base.ts'
import { composeBudgets } from '../budgets.ts'
import { composeCalls } from '../calls.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'
import { createJobs } from '../jobs/jobs.ts'
import { composeModels } from '../models.ts'
import { composePrompts } from '../prompts.ts'
import { composeWorkflows } from '../workflows.ts'

export type Execution = Awaited<ReturnType<typeof composeExecution>>

/** Creates what runs prompts: providers, prompts, model calls, agents and workflows. */
export async function composeExecution(config: Config, deps: ComposeDeps, base: Base, onClose: OnClose) {
  const { limits } = config
  const { db, share, bus, cluster, history, vault } = base.foundation
  const { ownDeletion: deletion } = base.foundation
  const { settings } = base.accounts
  const { runs } = base
  const hub = base.live.live
  const queue = { perPrincipal: limits.providerQueuePerPrincipal, total: limits.providerQueue }
  const models = await composeModels({ db, bus, cluster, history, vault, settings, queue }, deps)
  const jobs = createJobs()
  onClose(() => jobs.close())
  const prompts = composePrompts({ db, share, history, runs, hub, jobs, deletion }, deps, onClose)
  const metrics = createMetrics({
    db,
    clientCount: () => hub.count(),
    modelLoad: models.models.load,
    exportCounts: () => base.telemetryExport?.counts() ?? null,
  })
  const budgets = composeBudgets({ db, history, settings }, deps)
  const calls = await composeCalls(
    {
      db,
      models: models.models,
      runs,
      prompts: prompts.services,
      metrics,
      gateway: { budgets, virtualModels: () => settings.current().virtualModels },
      gatewayBodies: limits.gatewayBodies,
      cluster,
    },
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
      cluster,
    },
    deps,
    onClose,
  )
  return { models, prompts, metrics, budgets, calls, workflows }
}
