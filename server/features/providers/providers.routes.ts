import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { ProvidersService } from './providers.service.ts'

export function providersRoutes(providers: ProvidersService): Route[] {
  return [
    route(api.playground.providers, async (ctx) => ({ data: await providers.choices(ctx) })),
    route(api.providers.create, (ctx, input) => providers.create(ctx, input.body)),
    route(api.providers.list, (ctx) => providers.list(ctx)),
    route(api.providers.get, async (ctx, input) => ({ data: await providers.get(ctx, input.params.name) })),
    route(api.providers.update, (ctx, input) => providers.update(ctx, input.params.name, input.body)),
    route(api.providers.remove, (ctx, input) => providers.remove(ctx, input.params.name)),
    route(api.providers.test, async (ctx, input) => ({ data: await providers.test(ctx, input.params.name) })),
  ]
}
