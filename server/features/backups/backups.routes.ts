import { api } from '../../../contract/index.ts'
import { fileRoute, type Route, route } from '../../http/route.ts'
import type { BackupsService } from './backups.service.ts'

export function backupsRoutes(backups: BackupsService): Route[] {
  return [
    route(api.backups.list, (ctx, input) => backups.list(ctx, input.query)),
    route(api.backups.create, async (ctx) => ({ data: await backups.create(ctx) })),
    fileRoute(api.backups.download, (ctx, input) => backups.download(ctx, input.params.id)),
    route(api.backups.remove, (ctx, input) => backups.remove(ctx, input.params.id)),
  ]
}
