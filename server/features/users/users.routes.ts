import { api } from '../../../contract/index.ts'
import { type Route, route, sharingReplies } from '../../http/route.ts'
import type { UsersService } from './users.service.ts'

export function usersRoutes(users: UsersService): Route[] {
  return [
    sharingReplies(route(api.users.list, (ctx, input) => users.list(ctx, input.query))),
    route(api.users.create, async (ctx, input) => ({ data: await users.create(ctx, input.body) })),
    route(api.users.get, async (ctx, input) => ({ data: await users.get(ctx, input.params.id) })),
    route(api.users.update, async (ctx, input) => ({
      data: await users.update(ctx, input.params.id, input.body),
    })),
    route(api.users.remove, (ctx, input) => users.remove(ctx, input.params.id)),
    route(api.users.sessions, (ctx, input) => users.sessions(ctx, input.params.id)),
    route(api.users.revokeSession, (ctx, input) =>
      users.revokeSession(ctx, input.params.id, input.params.session_id),
    ),
    route(api.users.revokeSessions, (ctx, input) => users.revokeSessions(ctx, input.params.id)),
  ]
}
