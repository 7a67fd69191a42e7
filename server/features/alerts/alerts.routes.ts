import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { AlertsService } from './alerts.service.ts'

export function alertsRoutes(alerts: AlertsService): Route[] {
  return [
    route(api.alerts.list, (ctx, input) => alerts.list(ctx, input.query)),
    route(api.alerts.create, async (ctx, input) => ({ data: await alerts.create(ctx, input.body) })),
    route(api.alerts.events, (ctx, input) => alerts.events(ctx, input.query)),
    route(api.alerts.event, async (ctx, input) => ({ data: await alerts.event(ctx, input.params.id) })),
    route(api.alerts.seen, async (ctx) => ({ data: await alerts.seen(ctx) })),
    route(api.alerts.markSeen, async (ctx, input) => ({
      data: await alerts.markSeen(ctx, input.body.until),
    })),
    route(api.alerts.get, async (ctx, input) => ({ data: await alerts.get(ctx, input.params.id) })),
    route(api.alerts.update, async (ctx, input) => ({
      data: await alerts.update(ctx, input.params.id, input.body),
    })),
    route(api.alerts.remove, (ctx, input) => alerts.remove(ctx, input.params.id)),
    route(api.alerts.test, async (ctx, input) => ({ data: await alerts.test(ctx, input.params.id) })),
  ]
}
