import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { ViewsService } from './views.service.ts'

export function viewsRoutes(views: ViewsService): Route[] {
  return [
    route(api.views.list, (ctx, input) => views.list(ctx, input.query)),
    route(api.views.create, async (ctx, input) => ({ data: await views.create(ctx, input.body) })),
    route(api.views.update, async (ctx, input) => ({
      data: await views.update(ctx, input.params.id, input.body),
    })),
    route(api.views.remove, (ctx, input) => views.remove(ctx, input.params.id)),
  ]
}
