import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { SampleDataService } from './sample-data.service.ts'

export function sampleDataRoutes(sampleData: SampleDataService): Route[] {
  return [
    route(api.sampleData.get, async (ctx) => ({ data: await sampleData.get(ctx) })),
    route(api.sampleData.create, async (ctx) => ({ data: await sampleData.create(ctx) })),
    route(api.sampleData.remove, async (ctx) => ({ data: await sampleData.remove(ctx) })),
  ]
}
