import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { gatewayAccess } from '../../../contract/gateway/gateway.ts'
import { gatewayToken } from '../../gateway/call/credentials.ts'
import type { PermissionOverrides } from '../access.ts'
import type { Route } from '../route.ts'
import { type AuthenticateDeps, createAuthenticate } from './authenticate.ts'
import { createAuthorize } from './authorize.ts'
import { createHandle, type HandleDeps } from './handle.ts'
import type { LanAccess } from './lan-access.ts'
import { createReply, type ReplyDeps } from './reply.ts'
import { requireStep, type Step } from './request-state.ts'
import { validate } from './validate.ts'

export type EndpointDeps = AuthenticateDeps &
  HandleDeps &
  ReplyDeps & { readonly overrides: PermissionOverrides; readonly lan: Pick<LanAccess, 'ofEndpoint'> }

/** The steps of requests under /api. */
export type EndpointSteps = {
  /** Returns the steps of a route: access from the network, authenticate, authorize, validate, recheck, handle, reply. */
  readonly of: (route: Route) => readonly Step[]
  /** Returns the steps that decide who may call an endpoint: authenticate, authorize. */
  readonly access: (endpoint: Endpoint) => readonly Step[]
  /** Returns the step that repeats them after a slow body, if any access changed meanwhile. */
  readonly recheck: (endpoint: Endpoint) => Step
  /** The only step of a path without a route, so that anonymous callers cannot probe which routes exist. */
  readonly authenticate: Step
  /** The steps of a request to the gateway, before it is handled: authenticate, authorize. */
  readonly gateway: readonly Step[]
}

export function createEndpointSteps(deps: EndpointDeps): EndpointSteps {
  const authenticate = createAuthenticate(deps)
  const authorize = createAuthorize(deps.overrides)
  const handle = createHandle(deps)
  const reply = createReply(deps)
  // Other endpoints require a token on every listener.
  const lanSteps = (endpoint: Endpoint) =>
    endpoint.permission === 'public' ? [deps.lan.ofEndpoint(endpoint)] : []
  const identify = authenticate({ isPublic: false })
  const recheck =
    (endpoint: Endpoint): Step =>
    async (req, res, next) => {
      const { identity, generation } = requireStep(res.locals.caller, 'authenticate')
      if (identity === null || generation === deps.openStreams.generation()) return next()
      await identify(req, res, () => undefined)
      return authorize(endpoint)(req, res, next)
    }
  return {
    authenticate: identify,
    recheck,
    gateway: [
      authenticate({ isPublic: false, tokenOf: ({ headers }) => gatewayToken(headers) }),
      authorize(gatewayAccess),
    ],
    access: (endpoint) => [setPattern(endpoint), identify, authorize(endpoint)],
    of: (route) => {
      const { endpoint } = route
      return [
        setPattern(endpoint),
        ...lanSteps(endpoint),
        authenticate({ isPublic: endpoint.permission === 'public' }),
        authorize(endpoint),
        validate(endpoint),
        recheck(endpoint),
        handle(route),
        reply(endpoint),
      ]
    },
  }
}

/** Returns the step that names the route in the metrics, so that refused requests count for it too. */
function setPattern({ path }: Endpoint): Step {
  return (_req, res, next) => {
    res.locals.pattern = path
    next()
  }
}
