import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { AccountService } from './account.service.ts'
import type { AuthService } from './auth.service.ts'

export function authRoutes(auth: AuthService, account: AccountService): Route[] {
  return [
    route(api.auth.login, (ctx, input) => auth.login(ctx, input.body)),
    route(api.auth.logout, (ctx) => auth.logout(ctx)),
    route(api.auth.me, (ctx) => auth.me(ctx)),
    route(api.auth.changePassword, (ctx, input) => account.changePassword(ctx, input.body)),
    route(api.auth.sessions, (ctx) => account.sessions(ctx)),
    route(api.auth.revokeSession, (ctx, input) => account.revokeSession(ctx, input.params.id)),
  ]
}
