import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { ClientsService } from './clients.service.ts'

export function clientsRoutes(clients: ClientsService): Route[] {
  return [
    route(api.clients.list, (ctx, input) => clients.list(ctx, input.query)),
    route(api.clients.summary, async (ctx, input) => ({ data: await clients.summary(ctx, input.query) })),
    route(api.clients.disconnect, (ctx, input) => clients.disconnect(ctx, input.params.id)),
  ]
}
