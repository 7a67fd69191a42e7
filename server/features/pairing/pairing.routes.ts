import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { PairingService } from './pairing.service.ts'

export function pairingRoutes(pairing: PairingService): Route[] {
  return [
    route(api.pairing.open, async (ctx, input) => ({ data: await pairing.open(ctx, input.body) })),
    route(api.pairing.window, async (ctx) => ({ data: await pairing.window(ctx) })),
    route(api.pairing.close, (ctx) => pairing.close(ctx)),
    route(api.pairing.requests, (ctx) => pairing.requests(ctx)),
    route(api.pairing.approve, async (ctx, input) => ({ data: await pairing.approve(ctx, input.params.id) })),
    route(api.pairing.refuse, async (ctx, input) => ({ data: await pairing.refuse(ctx, input.params.id) })),
    route(api.pairing.identity, async (ctx) => ({ data: await pairing.identity(ctx) })),
    route(api.pairing.pair, (ctx, input) => pairing.pair(ctx, input.body)),
    route(api.pairing.state, (ctx, input) => pairing.state(ctx, input.params.id, input.query.wait ?? 0)),
  ]
}
