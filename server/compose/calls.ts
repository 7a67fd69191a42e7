import { createCalls } from '../calls/calls.ts'
import { instancesOfIntents } from '../calls/intents/intents.store.ts'
import { recoverCalls } from '../calls/intents/recover.ts'
import type { Calls } from '../calls/request/call.ts'
import { createTokenCounter } from '../calls/result/token-counter.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Db } from '../db/types.ts'
import { playgroundRoutes } from '../features/playground/playground.routes.ts'
import { createPlaygroundService } from '../features/playground/playground.service.ts'
import { keysRoutes } from '../features/prompts/prompts.routes.ts'
import type { PromptsService } from '../features/prompts/prompts.service.ts'
import { findServed } from '../features/prompts/served/served.read.ts'
import type { VersionsService } from '../features/prompts/versions/versions.service.ts'
import type { RunsService } from '../features/runs/runs.service.ts'
import { createGateway, type GatewayDeps } from '../gateway/gateway.ts'
import { type BodyLimits, createBodyReader } from '../gateway/request/body.ts'
import type { Metrics } from '../http/metrics/metrics.ts'
import type { Context } from '../lib/context.ts'
import { invalid } from '../lib/fail.ts'
import type { DirectModels, Models } from '../models/model.ts'
import { findVisibleWorkspace } from '../resources/required-workspace.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Recovery } from './services/ended-instances.ts'

/**
 * Creates the model calls, which are written to the run log, and the Playground. First records the
 * interrupted calls of an earlier process.
 */
export async function composeCalls(
  parts: {
    readonly db: Db
    readonly models: Models & DirectModels
    readonly gatewayBodies: BodyLimits
    readonly cluster: Pick<Cluster, 'instanceId' | 'wasAlone'>
    readonly runs: Pick<RunsService, 'record'>
    readonly prompts: { readonly prompts: PromptsService; readonly versions: VersionsService }
    readonly metrics: Pick<Metrics, 'observeCall'>
    readonly gateway: Pick<GatewayDeps, 'budgets' | 'virtualModels'>
  },
  deps: ComposeDeps,
  onClose: OnClose,
) {
  const { db, models, runs, metrics, gatewayBodies, cluster } = parts
  const { instanceId } = cluster
  const { prompts, versions } = parts.prompts
  const { clock, newId, logger } = deps
  const onError = (err: unknown) => logger.error({ err }, 'a model call could not be recorded')
  const recovery = createRecovery(parts, deps, onError)
  // If another instance was running, the calls may be its own.
  if (cluster.wasAlone) await recovery.recover(null)
  const tokens = createTokenCounter(onError)
  onClose(() => tokens.close())
  const common = {
    db,
    models,
    record: runs.record,
    count: tokens.count,
    clock,
    newId,
    instanceId,
    onRun: metrics.observeCall,
    onError,
  }
  const calls: Calls = createCalls(common)
  onClose(() => calls.close())

  /** Returns the texts of a prompt with its includes. Throws 422 if one of them cannot be replaced. */
  async function textsOf(ctx: Context, id: string, version: string) {
    const { content, messages, variables, problems } = await versions.resolved(ctx, id, version)
    const [first] = problems
    if (first !== undefined) throw invalid('id', first.message)
    return { content, messages, variables }
  }

  const playground = createPlaygroundService({
    calls,
    async promptText(ctx, id, version) {
      const prompt = await prompts.get(ctx, id)
      const { workspace_id: workspaceId, key, env } = prompt
      if (typeof version !== 'number') {
        const { params } = prompt
        const label = prompt.has_draft ? 'draft' : prompt.version
        return { workspaceId, key, version: label, env, params, ...(await textsOf(ctx, id, 'draft')) }
      }
      const { version: label, params = {} } = await versions.get(ctx, id, version)
      return { workspaceId, key, version: label, env, params, ...(await textsOf(ctx, id, label)) }
    },
    workspaceId: async (ctx, idOrSlug) =>
      (await findVisibleWorkspace(db.read, ctx.scope, idOrSlug))?.id ?? null,
  })
  const gateway = createGateway({
    ...common,
    ...parts.gateway,
    resolve: deps.resolve,
    findServed: (place) => findServed(db.read, place),
    bodies: createBodyReader(gatewayBodies),
  })
  onClose(() => gateway.close())
  const routes = [...playgroundRoutes(playground), ...keysRoutes(prompts, tokens.count)]
  return { calls, gateway, recovery, routes }
}

/** Records the calls that the end of a process interrupted as errors. */
const createRecovery = (
  { db, runs }: { readonly db: Db; readonly runs: Pick<RunsService, 'record'> },
  { clock, logger }: Pick<ComposeDeps, 'clock' | 'logger'>,
  onError: (error: unknown) => void,
): Recovery => ({
  instances: () => instancesOfIntents(db.read),
  async recover(instanceIds) {
    const recovering = recoverCalls({ db, record: runs.record, now: () => clock.now(), instanceIds })
    const calls = await recovering.catch((error: unknown) => {
      // The interrupted calls remain in the store, and it is tried again later.
      onError(error)
      return 0
    })
    if (calls > 0) logger.warn({ calls }, 'calls of a process that ended were recorded as errors')
  },
})
