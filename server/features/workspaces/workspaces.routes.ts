import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { WorkspacesService } from './workspaces.service.ts'

export function workspacesRoutes(workspaces: WorkspacesService): Route[] {
  return [
    route(api.workspaces.list, (ctx, input) => workspaces.list(ctx, input.query)),
    route(api.workspaces.deleted, async (ctx) => ({ data: await workspaces.deleted(ctx) })),
    route(api.workspaces.create, async (ctx, input) => ({ data: await workspaces.create(ctx, input.body) })),
    route(api.workspaces.get, async (ctx, input) => ({ data: await workspaces.get(ctx, input.params.id) })),
    route(api.workspaces.update, async (ctx, input) => ({
      data: await workspaces.update(ctx, input.params.id, input.body),
    })),
    route(api.workspaces.remove, (ctx, input) => workspaces.remove(ctx, input.params.id)),
  ]
}
