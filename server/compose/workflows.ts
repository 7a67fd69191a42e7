import type { Calls } from '../calls/request/call.ts'
import { withoutValues } from '../calls/result/redact.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Db } from '../db/types.ts'
import { agentsRoutes } from '../features/agents/agents.routes.ts'
import { createAgentsService } from '../features/agents/agents.service.ts'
import { createAgentRunner } from '../features/agents/run.service.ts'
import { findServed } from '../features/prompts/served/served.read.ts'
import { redactText } from '../features/runs/payloads/redact.ts'
import type { Captured } from '../features/runs/runs.service.ts'
import { createCapturedTexts } from '../features/workflows/executions/captured-texts.ts'
import type { ActiveExecution } from '../features/workflows/executions/execution.ts'
import { createExecutionReader } from '../features/workflows/executions/executions.read.ts'
import { createExecutionsService } from '../features/workflows/executions/executions.service.ts'
import { executionStore } from '../features/workflows/executions/executions.store.ts'
import { type RecoverDeps, recoverExecutions } from '../features/workflows/executions/recover.ts'
import { createResumeCache } from '../features/workflows/executions/resume-cache.ts'
import { startExecutionRetention } from '../features/workflows/executions/retention.ts'
import { workflowRunsRoutes, workflowsRoutes } from '../features/workflows/workflows.routes.ts'
import { createWorkflowsService } from '../features/workflows/workflows.service.ts'
import type { Bus } from '../history/events/bus.ts'
import type { History } from '../history/history.ts'
import { Problem } from '../lib/fail.ts'
import type { DeletionClock } from '../retention/deletion-clock.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Recovery } from './services/ended-instances.ts'

/**
 * Creates agents, workflows and their executions. First marks the executions that the end of an earlier
 * process interrupted.
 */
export async function composeWorkflows(
  parts: {
    readonly db: Db
    readonly bus: Bus
    readonly history: History
    readonly calls: Calls
    readonly captured: Captured
    readonly retentionDays: () => number
    readonly jobs: Pick<Jobs, 'extract' | 'readDefinitions'>
    readonly deletion: Pick<DeletionClock, 'now'>
    readonly hasProvider: (name: string) => boolean
    readonly cluster: Pick<Cluster, 'instanceId' | 'wasAlone'>
  },
  deps: ComposeDeps,
  onClose: OnClose,
) {
  const { db, bus, history, calls, captured, jobs, hasProvider, cluster } = parts
  const { clock, newId, logger } = deps
  const definitions = { db, history, newId, readFiles: jobs.readDefinitions, hasProvider }
  const agents = createAgentsService({ ...definitions, findServed })
  const workflows = createWorkflowsService({ ...definitions, hasAgent: agents.has })
  const { stepsAt, existing } = workflows

  const recovery = createRecovery({ db, bus, clock, stepsAt }, logger)
  // If another instance was running, the executions may be its own.
  if (cluster.wasAlone) await recovery.recover(null)

  const resumeCache = createResumeCache()
  const activeExecutions = new Map<string, ActiveExecution>()
  const running = (id: string): ReadonlySet<string> => activeExecutions.get(id)?.running ?? new Set()
  const texts = createCapturedTexts(captured, (variables) => {
    const without = withoutValues(variables)
    return (text) => redactText(without(text))
  })
  const reader = createExecutionReader({ db, texts, resumeCache, existing, stepsAt, running })
  const executions = createExecutionsService({
    db,
    bus,
    clock,
    newId,
    instanceId: cluster.instanceId,
    extract: jobs.extract,
    calls,
    texts,
    resumeCache,
    activeExecutions,
    reader,
    findAgent: agents.readyAt,
    hasAgent: (workspaceId, key) => agents.has(db.read, workspaceId, key),
    hasProvider,
    findWorkflow: workflows.ready,
    captureOf: captured.modeOf,
    onError: (err) => logger.error({ err }, 'an execution failed'),
  })
  onClose(() => executions.close())
  const retention = startExecutionRetention({
    db,
    deletion: parts.deletion,
    days: parts.retentionDays,
    onError: (err) => logger.error({ err }, 'old executions could not be removed'),
  })
  onClose(() => retention.close())
  return {
    services: { agents, workflows, executions },
    recovery,
    routes: [
      ...agentsRoutes(agents, createAgentRunner({ agents, calls })),
      ...workflowsRoutes(workflows),
      ...workflowRunsRoutes(executions),
    ],
  }
}

/** Ends the executions that the end of a process interrupted. */
const createRecovery = (deps: RecoverDeps, logger: ComposeDeps['logger']): Recovery => ({
  instances: () => executionStore.instances(deps.db.read),
  async recover(instanceIds) {
    const executions = await recoverExecutions(deps, instanceIds).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'store.full')) throw error
      logger.warn({ err: error }, 'interrupted executions could not be recorded; it is tried again later')
      return 0
    })
    if (executions > 0)
      logger.warn({ executions }, 'executions of a process that ended were recorded as interrupted')
  },
})
