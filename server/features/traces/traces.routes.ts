import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { TracesService } from './traces.service.ts'

export const tracesRoutes = (traces: TracesService): Route[] => [
  route(api.spans.list, async (ctx, input) => ({ data: await traces.list(ctx, input.query) })),
]
