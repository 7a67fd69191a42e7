import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { NetworkService } from './network.service.ts'

export function networkRoutes(network: NetworkService): Route[] {
  return [
    route(api.network.get, async () => ({ data: network.get() })),
    route(api.network.update, async (ctx, input) => ({ data: await network.update(ctx, input.body) })),
    route(api.network.replaceAuthority, async (ctx) => ({ data: await network.replaceAuthority(ctx) })),
  ]
}
