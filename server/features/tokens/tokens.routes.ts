import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { TokensService } from './tokens.service.ts'

export function tokensRoutes(tokens: TokensService): Route[] {
  return [
    route(api.tokens.list, (ctx, input) => tokens.list(ctx, input.query)),
    route(api.tokens.create, async (ctx, input) => ({ data: await tokens.create(ctx, input.body) })),
    route(api.tokens.update, async (ctx, input) => ({
      data: await tokens.update(ctx, input.params.id, input.body),
    })),
    route(api.tokens.revoke, (ctx, input) => tokens.revoke(ctx, input.params.id)),
  ]
}
