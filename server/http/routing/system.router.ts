import type { IncomingMessage } from 'node:http'
import { Router } from 'express'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import type { Health } from '../../../contract/system/health.ts'
import type { Authenticator } from '../../auth/identity/identity.ts'
import type { Db } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import type { BasePath } from '../../lib/text/base-path.ts'
import { bearerToken } from '../../lib/text/bearer-token.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { renderDocs } from '../openapi/docs.ts'
import { createOpenApi } from '../openapi/openapi.ts'
import { sendJson, sendText } from '../reply/send.ts'
import { pageHeaders } from '../security-headers.ts'
import type { Step } from '../steps/request-state.ts'
import { storeHealth } from './health.ts'
import { createReadiness } from './readiness.ts'

export type SystemDeps = {
  readonly endpoints: readonly Endpoint[]
  readonly version: string
  readonly basePath: BasePath
  /** Maximum size of a request body of the gateway. */
  readonly gatewayBodyBytes: number
  readonly db: Db
  readonly metrics: Metrics
  readonly authenticator: Authenticator
  readonly clock: Clock
  /** Rejects a request for the live connection without an upgrade. */
  readonly requireUpgrade: (req: IncomingMessage) => Promise<never>
  readonly isLoopbackPeer: (req: IncomingMessage) => boolean
  /** Returns why deletion by age is paused, or null. */
  readonly deletionPaused: () => string | null
  readonly activeDefaults: () => { password: boolean; token: boolean }
}

/** Creates the router of the system routes: health, metrics and documentation. */
export function createSystemRouter(deps: SystemDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/ws', (req) => deps.requireUpgrade(req))
  router.get('/health', replyWithHealth(deps))
  router.get('/ready', replyWithReadiness(deps))
  router.get('/metrics', requireLocalOrAdmin(deps), replyWithMetrics(deps))
  router.get('/openapi.json', replyWithOpenApi(deps))
  router.get('/docs', pageHeaders, replyWithDocs(deps))
  return router
}

/** Refuses methods that no route outside /api has. */
export const requireRead: Step = (req, _res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD')
    throw fail('method_not_allowed', { allow: ['GET', 'HEAD'] })
  next()
}

function replyWithHealth(deps: SystemDeps): Step {
  return (req, res) => {
    const { ok, status, reason } = storeHealth(deps.db.status())
    const paused = deps.deletionPaused()
    const body: Health = {
      ok,
      status,
      version: deps.version,
      ...(reason !== undefined && { reason }),
      ...(paused !== null && { deletion: { status: 'paused', reason: paused } }),
      ...(deps.isLoopbackPeer(req) && { defaults: deps.activeDefaults() }),
    }
    return sendJson(req, res, ok ? 200 : 503, JSON.stringify(body))
  }
}

/** Load balancers send requests only to instances that are ready. */
function replyWithReadiness({ db }: SystemDeps): Step {
  const readiness = createReadiness(db)
  return async (req, res) => {
    const body = await readiness()
    await sendJson(req, res, body.ready ? 200 : 503, JSON.stringify(body))
  }
}

function requireLocalOrAdmin({ isLoopbackPeer, authenticator, clock }: SystemDeps): Step {
  return async (req, _res, next) => {
    if (!isLoopbackPeer(req)) {
      const token = bearerToken(req.headers.authorization)
      const { actor, isBlocked } = await authenticator.identify(token, clock.now())
      if (actor.role !== 'admin' || actor.limits !== undefined || isBlocked)
        throw fail('auth.forbidden', { requiredRole: 'admin' })
    }
    next()
  }
}

function replyWithMetrics({ metrics }: SystemDeps): Step {
  return async (req, res) => {
    const { contentType, text } = await metrics.render()
    await sendText(req, res, 200, contentType, text)
  }
}

/** Creates the document on the first request, because it would take a large part of the start time. */
function replyWithOpenApi({ endpoints, ...instance }: SystemDeps): Step {
  let document: string | undefined
  return (req, res) => {
    document ??= JSON.stringify(createOpenApi(endpoints, instance))
    return sendJson(req, res, 200, document)
  }
}

function replyWithDocs({ endpoints, version, basePath }: SystemDeps): Step {
  let page: string | undefined
  return (req, res) => {
    page ??= renderDocs(endpoints, version, basePath)
    return sendText(req, res, 200, 'text/html; charset=utf-8', page)
  }
}
