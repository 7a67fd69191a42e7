import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { DevicesService } from './devices.service.ts'

export function devicesRoutes(devices: DevicesService): Route[] {
  return [
    route(api.devices.list, (ctx, input) => devices.list(ctx, input.query)),
    route(api.devices.update, async (ctx, input) => ({
      data: await devices.rename(ctx, input.params.id, input.body.name),
    })),
    route(api.devices.revoke, (ctx, input) => devices.revoke(ctx, input.params.id)),
  ]
}
