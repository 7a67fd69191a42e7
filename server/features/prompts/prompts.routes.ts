import { api } from '../../../contract/index.ts'
import { fileRoute, preserializedRoute, type Route, route, sharingReplies } from '../../http/route.ts'
import type { PromptsService } from './prompts.service.ts'
import type { RolloutService } from './rollout/rollout.service.ts'
import type { SdkService } from './served/sdk.service.ts'
import type { TransferService } from './transfer/transfer.service.ts'
import type { VersionsService } from './versions/versions.service.ts'

export function promptsRoutes(prompts: PromptsService): Route[] {
  const { list, facets, create, get, update, replace, remove, restore, duplicate } = api.prompts
  return [
    sharingReplies(route(list, (ctx, input) => prompts.list(ctx, input.query))),
    route(facets, async (ctx, input) => ({ data: await prompts.facets(ctx, input.query) })),
    route(create, async (ctx, input) => ({ data: await prompts.create(ctx, input.body) })),
    route(get, async (ctx, input) => ({ data: await prompts.get(ctx, input.params.id) })),
    route(update, async (ctx, { params, body, ifMatch }) => ({
      data: await prompts.update(ctx, params.id, body, ifMatch),
    })),
    route(replace, async (ctx, { params, body, ifMatch }) => ({
      data: await prompts.replace(ctx, params.id, body, ifMatch),
    })),
    route(remove, (ctx, input) => prompts.remove(ctx, input.params.id, input.ifMatch)),
    route(restore, async (ctx, { params, ifMatch }) => ({
      data: await prompts.restore(ctx, params.id, ifMatch),
    })),
    route(duplicate, async (ctx, { params, body }) => ({
      data: await prompts.duplicate(ctx, params.id, body),
    })),
  ]
}

/** Counts the tokens of texts; null where counting failed. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly (number | null)[]>

export function keysRoutes(prompts: Pick<PromptsService, 'listKeys'>, count: CountTokens): Route[] {
  return [
    route(api.promptKeys.list, (ctx, input) => prompts.listKeys(ctx, input.query)),
    route(api.promptKeys.countTokens, async (_ctx, input) => ({
      data: { counts: [...(await count(input.body.texts))] },
    })),
  ]
}

export function versionsRoutes(versions: VersionsService): Route[] {
  const { list, get, resolved, diff, publish, rollback, promote, publishById, rollbackById } =
    api.promptVersions
  return [
    route(list, (ctx, input) => versions.list(ctx, input.params.id, input.query)),
    route(get, async (ctx, { params }) => ({ data: await versions.get(ctx, params.id, params.version) })),
    route(resolved, async (ctx, { params, query }) => ({
      data: await versions.resolved(ctx, params.id, query.version),
    })),
    route(diff, async (ctx, input) => ({ data: await versions.diff(ctx, input.params.id, input.query) })),
    route(publish, async (ctx, { params, body, ifMatch }) => ({
      data: await versions.publish(ctx, params.id, body, ifMatch),
    })),
    route(rollback, async (ctx, { params, body, ifMatch }) => ({
      data: await versions.rollback(ctx, params.id, body, ifMatch),
    })),
    route(promote, async (ctx, { params, body, ifMatch }) => ({
      data: await versions.promote(ctx, params.id, body, ifMatch),
    })),
    route(publishById, async (ctx, { body, ifMatch }) => ({
      data: await versions.publish(ctx, body.id, body, ifMatch),
    })),
    route(rollbackById, async (ctx, { body, ifMatch }) => ({
      data: await versions.rollback(ctx, body.id, body, ifMatch),
    })),
  ]
}

export function rolloutRoutes(rollout: RolloutService): Route[] {
  const { convergence, push, impact } = api.promptRollout
  return [
    route(convergence, async (ctx, input) => ({ data: await rollout.convergence(ctx, input.params.id) })),
    route(push, async (ctx, input) => ({ data: await rollout.push(ctx, input.params.id) })),
    route(impact, async (ctx, input) => ({ data: await rollout.impact(ctx, input.params.id) })),
  ]
}

export function transferRoutes(transfer: TransferService): Route[] {
  return [
    fileRoute(api.promptTransfer.export, (ctx, input) => transfer.export(ctx, input.query)),
    route(api.promptTransfer.previewExport, async (ctx, input) => ({
      data: await transfer.previewExport(ctx, input.query),
    })),
    route(api.promptTransfer.import, async (ctx, input) => ({
      data: await transfer.import(ctx, input.body),
    })),
  ]
}

export function sdkRoutes(sdk: SdkService): Route[] {
  return [
    preserializedRoute(api.sdk.prompt, (ctx, { params, query }) => sdk.prompt(ctx, params.key, query)),
    preserializedRoute(api.sdk.prompts, (ctx, input) => sdk.prompts(ctx, input.query)),
  ]
}
