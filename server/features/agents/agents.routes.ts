import { api } from '../../../contract/index.ts'
import { fileRoute, type Route, route, streamRoute } from '../../http/route.ts'
import { runEvents } from '../../http/run-events.ts'
import type { AgentsService } from './agents.service.ts'
import type { AgentRunner } from './run.service.ts'

export function agentsRoutes(agents: AgentsService, runner: AgentRunner): Route[] {
  const { list, create, get, update, remove, duplicate, versions, version, rollback, input, run } = api.agents
  return [
    route(list, (ctx, { query }) => agents.list(ctx, query)),
    fileRoute(api.agents.export, (ctx, { query }) => agents.export(ctx, query)),
    route(api.agents.import, async (ctx, { body }) => ({ data: await agents.import(ctx, body) })),
    route(create, async (ctx, { body }) => ({ data: await agents.create(ctx, body) })),
    route(get, async (ctx, { params }) => ({ data: await agents.get(ctx, params.id) })),
    route(update, async (ctx, { params, body, ifMatch }) => ({
      data: await agents.update(ctx, params.id, body, ifMatch),
    })),
    route(remove, (ctx, { params, ifMatch }) => agents.remove(ctx, params.id, ifMatch)),
    route(duplicate, async (ctx, { params, body }) => ({
      data: await agents.duplicate(ctx, params.id, body),
    })),
    route(versions, (ctx, { params, query }) => agents.versions(ctx, params.id, query)),
    route(version, async (ctx, { params }) => ({
      data: await agents.version(ctx, params.id, params.version),
    })),
    route(rollback, async (ctx, { params, body, ifMatch }) => ({
      data: await agents.rollback(ctx, params.id, body, ifMatch),
    })),
    route(input, async (ctx, { params }) => ({ data: await agents.input(ctx, params.id) })),
    streamRoute(run, (ctx, { params, body }, signal) =>
      body.stream
        ? runEvents(ctx, run.path.replace(':id', params.id), (progress) =>
            runner.run(ctx, params.id, body, signal, progress),
          )
        : runner.run(ctx, params.id, body, signal),
    ),
  ]
}
