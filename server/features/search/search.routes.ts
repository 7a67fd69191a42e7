import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { SearchService } from './search.service.ts'

export const searchRoutes = (search: SearchService): Route[] => [
  route(api.search.find, async (ctx, input) => ({ data: await search.find(ctx, input.query) })),
]
