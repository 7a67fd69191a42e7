import { api } from '../../../contract/index.ts'
import type { Deletion } from '../../../contract/system/settings.ts'
import { type Route, route } from '../../http/route.ts'
import type { Context } from '../../lib/context.ts'
import type { SettingsService } from './settings.service.ts'

/** Deletion by age, which pauses when the clock jumps. */
export type DeletionSwitch = {
  state(): Deletion
  resume(ctx: Context): Promise<Deletion>
}

export function settingsRoutes(settings: SettingsService, deletion: DeletionSwitch): Route[] {
  return [
    route(api.settings.get, async (ctx) => ({ data: await settings.get(ctx) })),
    route(api.settings.update, async (ctx, input) => ({ data: await settings.update(ctx, input.body) })),
    route(api.settings.setServiceToken, async (ctx) => ({ data: await settings.setServiceToken(ctx) })),
    route(api.settings.deletion, async () => ({ data: deletion.state() })),
    route(api.settings.resumeDeletion, async (ctx) => ({ data: await deletion.resume(ctx) })),
  ]
}
