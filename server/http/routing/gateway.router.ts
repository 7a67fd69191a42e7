import { Router } from 'express'
import { gatewayAccess, gatewayHeaders } from '../../../contract/gateway/gateway.ts'
import { hasOwnCredentials } from '../../gateway/call/credentials.ts'
import type { CallError, Gateway } from '../../gateway/gateway.ts'
import { type Match, matchGateway, protocolOf } from '../../gateway/protocols/protocols.ts'
import { fail } from '../../lib/fail.ts'
import { ModelError } from '../../models/model.ts'
import type { RequestLog } from '../metrics/request-log.ts'
import type { OpenStreams } from '../open-streams.ts'
import { sendProtocolError } from '../reply/protocol-error.ts'
import type { EndpointSteps } from '../steps/endpoint-steps.ts'
import { requireStep, type Step, type StepRequest, type StepResponse } from '../steps/request-state.ts'

export type GatewayRouterDeps = {
  readonly steps: Pick<EndpointSteps, 'gateway'>
  readonly gateway: Pick<Gateway, 'handle'>
  readonly openStreams: Pick<OpenStreams, 'watch'>
  readonly log: RequestLog
}

/** Creates the router of /gateway. A path without a route is 404 for authorized callers only. */
export function createGatewayRouter(deps: GatewayRouterDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(setPattern, ...deps.steps.gateway, passOn(deps))
  return router
}

/** Names the route in the metrics, so that refused requests count for it too. */
const setPattern: Step = (req, res, next) => {
  const match = matchGateway(req.method ?? '', res.locals.path)
  if (match !== null && 'pattern' in match) res.locals.pattern = match.pattern
  next()
}

function requireMatch(req: StepRequest, res: StepResponse): Match {
  const { path } = res.locals
  const match = matchGateway(req.method ?? '', path)
  if (match !== null && 'pattern' in match) return match
  if (match !== null) throw fail('method_not_allowed', { allow: match.allow })
  const protocol = protocolOf(path)
  throw fail('not_found', {
    detail:
      protocol === null
        ? 'The gateway does not support this protocol. The API documentation lists the protocols.'
        : `The gateway does not support this path of ${protocol.label}. Check the base URL: a path is, for example, ${protocol.base}${protocol.routes[0]?.path}.`,
  })
}

function passOn({ gateway, openStreams, log }: GatewayRouterDeps): Step {
  return async (req, res) => {
    const match = requireMatch(req, res)
    const { context, identity, token, generation } = requireStep(res.locals.caller, 'authenticate')
    if (identity === null || token === null) throw fail('auth.required')
    const hasOwnKey = hasOwnCredentials(req.headers)
    requireKeyMode(identity.actor.gateway === 'own_key', hasOwnKey)
    const controller = new AbortController()
    res.once('close', () => {
      if (!res.writableFinished)
        controller.abort(cancelled('The caller disconnected before the response was complete'))
    })
    const unwatch = openStreams.watch({ endpoint: gatewayAccess, identity, token, generation }, () =>
      controller.abort(cancelled('The access of the caller ended')),
    )
    const replyWithError = ({ problem, callId, isFinal }: CallError) => {
      if (callId !== null && !res.headersSent) res.setHeader(gatewayHeaders.runId, callId)
      sendProtocolError(req, res, match.protocol, problem, isFinal).catch((error: unknown) =>
        res.destroy(error instanceof Error ? error : undefined),
      )
    }
    try {
      const { search } = res.locals
      await gateway.handle(
        { ctx: context, match, req, res, search, hasOwnKey, signal: controller.signal },
        replyWithError,
      )
    } finally {
      unwatch()
    }
    log(req, res)
  }
}

const cancelled = (message: string): ModelError => new ModelError('cancelled', message)

/** Throws if a token is in the wrong header: it would otherwise use a key that it may not use. */
function requireKeyMode(mustHaveOwnKey: boolean, hasOwnKey: boolean): void {
  if (mustHaveOwnKey === hasOwnKey) return
  throw fail('auth.forbidden', {
    detail: mustHaveOwnKey
      ? `This token passes your own key on: send the token as ${gatewayHeaders.token}, and the key as your client does.`
      : `This token uses the key of the service: send it as the API key of your client, without ${gatewayHeaders.token}. An admin can allow it to pass your own key on.`,
  })
}
