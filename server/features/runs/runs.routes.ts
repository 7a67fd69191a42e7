import { api } from '../../../contract/index.ts'
import { fileRoute, type Route, route, sharingReplies, streamRoute } from '../../http/route.ts'
import type { RunsService } from './runs.service.ts'

export function runRoutes(runs: RunsService): Route[] {
  return [
    sharingReplies(streamRoute(api.runs.list, (ctx, input, signal) => runs.list(ctx, input.query, signal))),
    route(api.runs.report, async (ctx, input) => ({ data: await runs.report(ctx, input.body) })),
    sharingReplies(
      route(api.runs.stats, async (ctx, input) => ({ data: await runs.stats(ctx, input.query) })),
    ),
    route(api.runs.errors, async (ctx, input) => ({ data: await runs.errors(ctx, input.query) })),
    fileRoute(api.runs.export, (ctx, input) => runs.export(ctx, input.query)),
    route(api.sessions.list, (ctx, input) => runs.sessions.list(ctx, input.query)),
    route(api.sessions.get, (ctx, input) => runs.sessions.get(ctx, input.params.id, input.query)),
    route(api.runs.get, async (ctx, input) => ({ data: await runs.get(ctx, input.params.id) })),
  ]
}
