import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { SettingsService } from './settings.service.ts'

export function settingsRoutes(settings: SettingsService): Route[] {
  return [
    route(api.settings.get, async (ctx) => ({ data: await settings.get(ctx) })),
    route(api.settings.update, async (ctx, input) => ({ data: await settings.update(ctx, input.body) })),
    route(api.settings.setServiceToken, async (ctx) => ({ data: await settings.setServiceToken(ctx) })),
  ]
}
