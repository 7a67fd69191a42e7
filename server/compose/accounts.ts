import { join } from 'node:path'
import { createAuthenticator } from '../auth/authenticator.ts'
import { checkBinding } from '../auth/binding.ts'
import { createDefaultCredentials } from '../auth/defaults.ts'
import type { LiveAccess } from '../auth/identity/identity.ts'
import { loadKey } from '../auth/key-file.ts'
import { createPasswords } from '../auth/passwords/passwords.ts'
import { createSessionActivity } from '../auth/sessions/session-activity.ts'
import { createApiTokens } from '../auth/tokens/api-tokens.ts'
import { createServiceToken, type ServiceToken } from '../auth/tokens/service-token.ts'
import { createTokens } from '../auth/tokens/tokens.ts'
import type { Config } from '../config.ts'
import { createSettingsService, type SettingsService } from '../features/settings/settings.service.ts'
import { createTokensService } from '../features/tokens/tokens.service.ts'
import { countTokensOf } from '../features/tokens/tokens.store.ts'
import { ensureFirstAdmin } from '../features/users/bootstrap.ts'
import { createUsersService } from '../features/users/users.service.ts'
import { ensureDefaultWorkspace } from '../features/workspaces/bootstrap.ts'
import { systemContext } from '../lib/context.ts'
import { findWorkspace } from '../resources/workspaces.read.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Foundation } from './foundation.ts'
import { composeSignIn, recheckWhenRequired } from './sign-in.ts'

/** Creates settings, credentials, sessions and users. */
export async function composeAccounts(
  config: Config,
  deps: ComposeDeps,
  { db, history, deletion, vault }: Pick<Foundation, 'db' | 'history' | 'deletion' | 'vault'>,
  liveAccess: LiveAccess,
  onClose: OnClose,
) {
  const { clock, newId } = deps
  const start = systemContext(clock.now(), `start_${newId()}`)
  const settings = await createSettingsService({ db, history, config, liveAccess })
  const serviceToken = createServiceToken({
    fromEnvironment: config.serviceToken,
    stored: () => settings.storedServiceToken(),
  })
  const defaults = await createDefaultCredentials({ db, serviceToken })
  const passwords = createPasswords({ cost: deps.passwordCost })
  onClose(() => passwords.close())
  const { tokens, activity, apiTokens, authenticator } = await composeAuthentication(
    config,
    deps,
    { db, deletion, settings, serviceToken, liveAccess },
    onClose,
  )

  await ensureDefaultWorkspace({ db, history }, start)
  await ensureFirstAdmin({ db, history, newId, passwords }, start)
  await defaults.refresh()
  checkBinding(config, defaults.active())

  const permissionOverrides = () => settings.permissionOverrides()
  const signIn = composeSignIn(
    config,
    deps,
    {
      db,
      history,
      vault,
      passwords,
      tokens,
      serviceToken,
      apiTokens,
      activity,
      liveAccess,
      defaults,
      settings,
    },
    onClose,
  )
  const users = createUsersService({
    db,
    history,
    newId,
    passwords,
    activity,
    liveAccess,
    defaults,
    countTokensOf,
    mayTokensCreateAdmins: () => settings.current().apiTokensMayCreateAdmins,
  })
  const appTokens = createTokensService({
    db,
    history,
    newId,
    apiTokens,
    liveAccess,
    settings: () => settings.current(),
    findWorkspace,
  })
  return { appTokens, settings, defaults, authenticator, permissionOverrides, signIn, users }
}

/** Creates the parts that identify the caller of each request. */
async function composeAuthentication(
  { dataDir }: Config,
  { logger }: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'deletion'> & {
    readonly settings: SettingsService
    readonly serviceToken: ServiceToken
    readonly liveAccess: LiveAccess
  },
  onClose: OnClose,
) {
  const { db, deletion, settings, serviceToken, liveAccess } = parts
  const tokens = createTokens({
    key: await loadKey(join(dataDir, 'keys', 'jwt.key'), 'all users must sign in again.'),
  })
  const activity = createSessionActivity({ db, deletion, liveAccess, logger })
  onClose(() => activity.close())
  const apiTokens = createApiTokens({ db, logger })
  onClose(() => apiTokens.close())
  const authenticator = createAuthenticator({
    db,
    tokens,
    serviceToken,
    apiTokens,
    activity,
    isSecondFactorRequired: () => settings.current().requireSecondFactor,
  })
  recheckWhenRequired(settings, liveAccess)
  return { tokens, activity, apiTokens, authenticator }
}
