import { join } from 'node:path'
import { createAuthenticator } from '../../auth/authenticator.ts'
import { checkBinding } from '../../auth/binding.ts'
import { createDefaultCredentials } from '../../auth/defaults.ts'
import { createDevices } from '../../auth/devices/devices.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import { deriveKey, loadKey } from '../../auth/key-file.ts'
import { createPasswords } from '../../auth/passwords/passwords.ts'
import { createSessionActivity } from '../../auth/sessions/session-activity.ts'
import { createApiTokens } from '../../auth/tokens/api-tokens.ts'
import { createLocalTokens } from '../../auth/tokens/local-tokens.ts'
import { createServiceToken, type ServiceToken } from '../../auth/tokens/service-token.ts'
import { createTokens } from '../../auth/tokens/tokens.ts'
import type { Config } from '../../config.ts'
import { createDevicesService } from '../../features/devices/devices.service.ts'
import type { PairingNetwork } from '../../features/pairing/pairing.wire.ts'
import { createSettingsService, type SettingsService } from '../../features/settings/settings.service.ts'
import { createTokensService } from '../../features/tokens/tokens.service.ts'
import { countTokensOf, deleteToken } from '../../features/tokens/tokens.store.ts'
import { ensureFirstAdmin } from '../../features/users/bootstrap.ts'
import { createUsersService } from '../../features/users/users.service.ts'
import { ensureDefaultWorkspace } from '../../features/workspaces/bootstrap.ts'
import { systemContext } from '../../lib/context.ts'
import { findWorkspace } from '../../resources/workspaces.read.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'
import type { Foundation } from '../foundation/foundation.ts'
import { composePairing } from './pairing.ts'
import { composeSignIn, recheckWhenRequired } from './sign-in.ts'

type SharedParts = 'store' | 'db' | 'share' | 'cluster' | 'history' | 'ownDeletion' | 'vault'
type AccountParts = Pick<Foundation, SharedParts> & {
  /** Returns how devices on the network reach the service; null while sharing is off. */
  readonly network: () => PairingNetwork | null
}

/** Creates settings, credentials, sessions, users and devices. */
export async function composeAccounts(
  config: Config,
  deps: ComposeDeps,
  parts: AccountParts,
  liveAccess: LiveAccess,
  onClose: OnClose,
) {
  const { clock, newId } = deps
  const { db, history } = parts
  const start = systemContext(clock.now(), `start_${newId()}`)
  const settings = await createSettingsService({ db, history, config, liveAccess })
  const serviceToken = createServiceToken({
    fromEnvironment: config.serviceToken,
    stored: () => settings.storedServiceToken(),
  })
  const defaults = await createDefaultCredentials({ db, serviceToken, onSettings: settings.listen })
  const passwords = createPasswords({ cost: deps.passwordCost })
  onClose(() => passwords.close())
  const authentication = await composeAuthentication(
    config,
    deps,
    { ...parts, settings, serviceToken, liveAccess },
    onClose,
  )
  const { apiTokens, devices, authenticator, mcpSessionKey, failuresKey, bodyKey } = authentication

  await ensureDefaultWorkspace({ db, history }, start)
  await ensureFirstAdmin({ db, history, newId, passwords }, start)
  await defaults.refresh()
  checkBinding(config, defaults.active())

  const permissionOverrides = () => settings.permissionOverrides()
  const common = { ...authentication, db, history, newId, passwords, liveAccess, defaults }
  const { services: signIn, credentials } = composeSignIn(
    config,
    deps,
    { ...common, cluster: parts.cluster, vault: parts.vault, serviceToken, settings },
    onClose,
  )
  const users = createUsersService({
    ...common,
    share: parts.share,
    countTokensOf,
    mayTokensCreateAdmins: () => settings.current().apiTokensMayCreateAdmins,
  })
  const tokensService = createTokensService({
    db,
    history,
    newId,
    apiTokens,
    liveAccess,
    settings: () => settings.current(),
    findWorkspace,
  })
  const pairing = composePairing(
    deps,
    { ...parts, signIn: credentials, users, tokensService, devices, failuresKey },
    onClose,
  )
  const pairedDevices = createDevicesService({ db, history, devices, apiTokens, liveAccess, deleteToken })
  return {
    tokensService,
    pairing,
    devices,
    pairedDevices,
    settings,
    defaults,
    authenticator,
    permissionOverrides,
    signIn,
    users,
    mcpSessionKey,
    bodyKey,
  }
}

/** Creates the parts that identify the caller of each request. */
async function composeAuthentication(
  { dataDir }: Config,
  { logger }: ComposeDeps,
  parts: Pick<Foundation, 'store' | 'db' | 'ownDeletion'> & {
    readonly settings: SettingsService
    readonly serviceToken: ServiceToken
    readonly liveAccess: LiveAccess
  },
  onClose: OnClose,
) {
  const { store, db, ownDeletion, settings, serviceToken, liveAccess } = parts
  const key = await loadKey(join(dataDir, 'keys', 'jwt.key'), 'all users must sign in again.')
  const tokens = createTokens({ key })
  const activity = createSessionActivity({ db, deletion: ownDeletion, liveAccess, logger })
  onClose(() => activity.close())
  const apiTokens = createApiTokens({ db, logger })
  onClose(() => apiTokens.close())
  const devices = createDevices({ db, logger, lifetimeDays: () => settings.current().deviceDays })
  onClose(() => devices.close())
  const authenticator = createAuthenticator({
    db,
    tokens,
    serviceToken,
    apiTokens,
    localTokens: createLocalTokens(store.lock.localKey),
    activity,
    devices,
    isSecondFactorRequired: () => settings.current().requireSecondFactor,
  })
  recheckWhenRequired(settings, liveAccess)
  const mcpSessionKey = deriveKey(key, 'promptdeck mcp sessions')
  const failuresKey = deriveKey(key, 'promptdeck failed sign-ins')
  const bodyKey = deriveKey(key, 'promptdeck idempotency keys')
  return { tokens, activity, apiTokens, devices, authenticator, mcpSessionKey, failuresKey, bodyKey }
}
