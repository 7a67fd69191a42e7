import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { AuthService } from './auth.service.ts'
import type { OwnAccountService } from './own-account.service.ts'

export function authRoutes(auth: AuthService, own: OwnAccountService): Route[] {
  return [
    route(api.auth.login, (ctx, input) => auth.login(ctx, input.body)),
    route(api.auth.logout, (ctx) => auth.logout(ctx)),
    route(api.auth.me, (ctx) => auth.me(ctx)),
    route(api.auth.changePassword, (ctx, input) => own.changePassword(ctx, input.body)),
    route(api.auth.sessions, (ctx) => own.sessions(ctx)),
    route(api.auth.revokeSession, (ctx, input) => own.revokeSession(ctx, input.params.id)),
  ]
}
