import { api } from '../../../contract/index.ts'
import { type Route, route } from '../../http/route.ts'
import type { AccountService } from './account.service.ts'
import type { AuthService } from './auth.service.ts'
import type { PasskeysService } from './passkeys/passkeys.service.ts'
import type { PasswordLinksService } from './password-links/password-links.service.ts'
import type { createReset } from './second-factor/reset.ts'
import type { SecondFactorService } from './second-factor/second-factor.service.ts'
import type { SignIns } from './sign-ins/sign-ins.read.ts'

export type AuthServices = {
  readonly auth: AuthService
  readonly account: AccountService
  readonly secondFactor: SecondFactorService
  readonly resetSecondFactor: ReturnType<typeof createReset>
  readonly passkeys: PasskeysService
  readonly passwordLinks: PasswordLinksService
  readonly signIns: SignIns
}

export function authRoutes(services: AuthServices): Route[] {
  const { auth, account, signIns } = services
  return [
    route(api.auth.login, (ctx, input) => auth.login(ctx, input.body)),
    route(api.auth.logout, (ctx) => auth.logout(ctx)),
    route(api.auth.me, (ctx) => auth.me(ctx)),
    route(api.auth.changePassword, (ctx, input) => account.changePassword(ctx, input.body)),
    route(api.auth.sessions, (ctx) => account.sessions(ctx)),
    route(api.auth.revokeSession, (ctx, input) => account.revokeSession(ctx, input.params.id)),
    route(api.signIns.list, (ctx) => signIns.list(ctx)),
    ...secondFactorRoutes(services),
    ...passkeyRoutes(services),
    ...passwordLinkRoutes(services),
  ]
}

const secondFactorRoutes = ({ secondFactor, resetSecondFactor }: AuthServices): Route[] => [
  route(api.secondFactor.get, async (ctx) => ({ data: await secondFactor.get(ctx) })),
  route(api.secondFactor.start, async (ctx, input) => ({ data: await secondFactor.start(ctx, input.body) })),
  route(api.secondFactor.confirm, (ctx, input) => secondFactor.confirm(ctx, input.body)),
  route(api.secondFactor.createRecoveryCodes, async (ctx, input) => ({
    data: await secondFactor.createRecoveryCodes(ctx, input.body),
  })),
  route(api.secondFactor.remove, (ctx, input) => secondFactor.remove(ctx, input.body)),
  route(api.secondFactor.reset, (ctx, input) => resetSecondFactor(ctx, input.params.id)),
]

const passkeyRoutes = ({ auth, passkeys }: AuthServices): Route[] => [
  route(api.passkeys.signInOptions, (ctx) => auth.passkeyOptions(ctx)),
  route(api.passkeys.list, (ctx) => passkeys.list(ctx)),
  route(api.passkeys.createOptions, (ctx, input) => passkeys.createOptions(ctx, input.body)),
  route(api.passkeys.create, async (ctx, input) => ({ data: await passkeys.create(ctx, input.body) })),
  route(api.passkeys.update, async (ctx, input) => ({
    data: await passkeys.update(ctx, input.params.id, input.body),
  })),
  route(api.passkeys.remove, (ctx, input) => passkeys.remove(ctx, input.params.id, input.body)),
]

const passwordLinkRoutes = ({ passwordLinks }: AuthServices): Route[] => [
  route(api.passwordLinks.create, async (ctx, input) => ({
    data: await passwordLinks.create(ctx, input.params.id),
  })),
  route(api.passwordLinks.check, async (ctx, input) => ({
    data: await passwordLinks.check(ctx, input.body.token),
  })),
  route(api.passwordLinks.redeem, (ctx, input) => passwordLinks.redeem(ctx, input.body)),
]
