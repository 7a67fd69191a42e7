import { api } from '../../../contract/index.ts'
import { fileRoute, type Route, route, sharingReplies } from '../../http/route.ts'
import type { AuditService } from './audit.service.ts'

export function auditRoutes(audit: AuditService): Route[] {
  return [
    sharingReplies(route(api.audit.list, (ctx, input) => audit.list(ctx, input.query))),
    fileRoute(api.audit.export, (ctx, input) => audit.export(ctx, input.query)),
    route(api.audit.verify, async (ctx) => ({ data: await audit.verify(ctx) })),
    route(api.audit.get, async (ctx, input) => ({ data: await audit.get(ctx, input.params.id) })),
  ]
}
