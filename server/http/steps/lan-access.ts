import type { IncomingMessage } from 'node:http'
import { deviceHeader } from '../../../contract/accounts/pairing.ts'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import type { Authenticator } from '../../auth/identity/identity.ts'
import type { Clock } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { bearerToken } from '../../lib/text/bearer-token.ts'
import { isLan } from '../listener.ts'
import type { Step } from './request-state.ts'

export type LanAccessDeps = {
  readonly authenticator: Authenticator
  readonly devices: Pick<Devices, 'find'>
  readonly clock: Clock
  /** The setting `lan_password_sign_in`. */
  readonly mayUnpairedSignIn: () => boolean
}

/** Routes with which a browser signs in. */
const signInPaths: readonly string[] = ['/api/login', '/api/login/passkey-options']

/** System routes that an unpaired device on the network may not read. The others are `/health` and files. */
const systemPaths: readonly string[] = ['/ready', '/metrics', '/openapi.json', '/docs', '/ws']

/**
 * Decides what a device on the network may reach without a valid token: the pairing routes, the console's
 * files and `/health`. Every other public route is for paired devices. Routes that are not public require a
 * token on every listener.
 */
export type LanAccess = {
  readonly ofEndpoint: (endpoint: Endpoint) => Step
  /** The step of every request outside /api. */
  readonly outsideApi: Step
}

export function createLanAccess(deps: LanAccessDeps): LanAccess {
  const { authenticator, devices, clock, mayUnpairedSignIn } = deps

  /** Throws 401 without a valid bearer token. */
  const requireToken = async ({ headers }: IncomingMessage) => {
    await authenticator.identify(bearerToken(headers.authorization), clock.now())
  }

  const findPaired = async ({ headers }: IncomingMessage): Promise<string | null> => {
    const token = headers[deviceHeader.toLowerCase()]
    return typeof token === 'string' ? ((await devices.find(token, clock.now()))?.id ?? null) : null
  }

  /** Returns the paired device of a request; null if the request may continue without one. */
  const requirePaired = async (req: IncomingMessage, { path }: Endpoint): Promise<string | null> => {
    const isSignIn = signInPaths.includes(path)
    if (isSignIn && mayUnpairedSignIn()) return null
    const deviceId = await findPaired(req)
    if (deviceId !== null) return deviceId
    // A session that a token of a device opened would not end with the device.
    if (!isSignIn && bearerToken(req.headers.authorization) !== null) {
      await requireToken(req)
      return null
    }
    throw fail('auth.device_required', {
      detail:
        'This device is not paired with the service. Ask an admin to add it, then open the pairing page.',
    })
  }

  return {
    ofEndpoint: (endpoint) => async (req, res, next) => {
      const isFromLan = isLan(req)
      // As for a path that does not exist.
      if (endpoint.lanOnly && !isFromLan) throw fail('not_found')
      if (isFromLan && endpoint.permission === 'public' && !endpoint.lanOnly)
        res.locals.pairedDeviceId = await requirePaired(req, endpoint)
      next()
    },
    outsideApi: async (req, res, next) => {
      if (isLan(req) && systemPaths.includes(res.locals.path)) await requireToken(req)
      next()
    },
  }
}
