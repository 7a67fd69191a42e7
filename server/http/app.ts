import express, { type Express } from 'express'
import type { Clock } from '../lib/clock.ts'
import type { TrustedProxies } from '../lib/remote-address.ts'
import type { BasePath } from '../lib/text/base-path.ts'
import type { Guard } from './guard.ts'
import type { RequestLog } from './metrics/request-log.ts'
import type { Route } from './route.ts'
import { createApiRouter, createNounRouter } from './routing/api.router.ts'
import { createConsoleRouter } from './routing/console.router.ts'
import { createGatewayRouter, type GatewayRouterDeps } from './routing/gateway.router.ts'
import { createSystemRouter, requireRead, type SystemDeps } from './routing/system.router.ts'
import { createStatusReply, createTelemetryRouter, type TelemetryDeps } from './routing/telemetry.router.ts'
import { apiHeaders, createTransportHeader } from './security-headers.ts'
import { createCheckOrigin } from './steps/check-origin.ts'
import { createCors } from './steps/cors.ts'
import type { EndpointSteps } from './steps/endpoint-steps.ts'
import type { LanAccess } from './steps/lan-access.ts'
import type { ReplyWithProblem } from './steps/reply-with-problem.ts'
import {
  createRequestState,
  type Step,
  type StepRequest,
  type StepResponse,
  telemetryPaths,
} from './steps/request-state.ts'

export type AppDeps = {
  readonly routes: readonly Route[]
  readonly steps: EndpointSteps
  /** The steps of every request, in and outside /api. */
  readonly commonSteps: readonly Step[]
  readonly replyWithProblem: ReplyWithProblem
  readonly clock: Clock
  readonly isTrusted: TrustedProxies
  readonly system: SystemDeps
  readonly gateway: GatewayRouterDeps
  readonly telemetry: TelemetryDeps
  readonly lan: Pick<LanAccess, 'outsideApi'>
  /** Folder of the built console. */
  readonly consoleDir: string
  readonly basePath: BasePath
}

/** Creates the Express application. */
export function createApp(deps: AppDeps): Express {
  const app = express()
  app.disable('x-powered-by')
  // The endpoint tables decide which replies have an ETag, and their schemas parse the query.
  app.disable('etag')
  app.set('query parser', false)
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', deps.isTrusted)

  app.use((req, res, next) => {
    res.locals = createRequestState(req, deps.clock)
    next()
  })
  app.use(...deps.commonSteps)
  app.use('/api', createApiRouter(deps.routes.filter(isInApi), deps.steps))
  app.use('/gateway', createGatewayRouter(deps.gateway))
  const others = deps.routes.filter((route) => !isInApi(route))
  app.use(createNounRouter('', others, deps.steps))
  app.use(createTelemetryRouter(deps.telemetry))
  app.use([...telemetryPaths], createStatusReply(deps.telemetry))
  app.use(requireRead)
  app.use(deps.lan.outsideApi)
  app.use(createSystemRouter(deps.system))
  app.use(createConsoleRouter(deps.consoleDir, deps.basePath))
  app.use((error: unknown, req: StepRequest, res: StepResponse, _next: unknown) =>
    deps.replyWithProblem(error, req, res),
  )
  return app
}

const isInApi = ({ endpoint }: Route): boolean => endpoint.path.startsWith('/api/')

/** Returns the steps of every request: security headers, CORS, and the check of Host and Origin. */
export const createCommonSteps = (
  guard: Guard,
  log: RequestLog,
  isTrusted: TrustedProxies,
): readonly Step[] => [
  apiHeaders,
  createTransportHeader(isTrusted),
  createCors(guard, log),
  createCheckOrigin(guard),
]
