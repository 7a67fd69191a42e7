import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../contract/index.ts'
import type { Devices } from '../auth/devices/devices.ts'
import type { Authenticator } from '../auth/identity/identity.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/types.ts'
import type { PermissionOverrides } from '../http/access.ts'
import { createApp, createCommonSteps } from '../http/app.ts'
import type { Guard } from '../http/guard.ts'
import { createHotRoutes } from '../http/hot-routes.ts'
import { createIdempotency } from '../http/idempotency/idempotency.ts'
import { limitAddresses } from '../http/limits/address-limit.ts'
import { createRateLimit } from '../http/limits/rate-limit.ts'
import { createReplyGate } from '../http/limits/reply-gate.ts'
import { createStreamLimit } from '../http/limits/stream-limit.ts'
import { isLan } from '../http/listener.ts'
import type { Metrics } from '../http/metrics/metrics.ts'
import { createRequestLog } from '../http/metrics/request-log.ts'
import { createMessageClasses } from '../http/node/message-classes.ts'
import { onUpgrade } from '../http/node/protocol-upgrade.ts'
import type { OpenStreams } from '../http/open-streams.ts'
import { createYield } from '../http/reply/yield.ts'
import type { Route } from '../http/route.ts'
import { createHttpServer } from '../http/server.ts'
import { createEndpointSteps } from '../http/steps/endpoint-steps.ts'
import { createLanAccess } from '../http/steps/lan-access.ts'
import { createReplyWithProblem } from '../http/steps/reply-with-problem.ts'
import { isLoopbackAddress, isLoopbackPeer, remoteAddress, trustedProxies } from '../lib/remote-address.ts'
import { serviceVersion } from '../lib/version.ts'
import type { Hub } from '../live/hub.ts'
import type { DeletionClock } from '../retention/deletion-clock.ts'
import type { ComposeDeps } from './deps.ts'

const consoleDir = fileURLToPath(new URL('../../renderer/', import.meta.url))

type HttpParts = {
  readonly routes: readonly Route[]
  readonly db: Db
  readonly authenticator: Authenticator
  readonly overrides: PermissionOverrides
  readonly openStreams: OpenStreams
  readonly guard: Guard
  readonly metrics: Metrics
  readonly live: Hub
  readonly deletion: DeletionClock
  readonly devices: Pick<Devices, 'find'>
  readonly mayUnpairedSignIn: () => boolean
  readonly activeDefaults: () => { password: boolean; token: boolean }
}

/** Creates the HTTP server: routes, static and system routes, limits and the upgrade of live connections. */
export function composeHttp(config: Config, { clock, logger }: ComposeDeps, parts: HttpParts): Server {
  const { limits } = config
  const { db, authenticator, guard, metrics, live, deletion } = parts
  const isTrusted = trustedProxies(config.trustedProxies)
  const isExempt = (address: string) => isLoopbackAddress(address) || isTrusted(address)
  const yieldWrite = createYield()
  const log = createRequestLog(metrics, logger)
  const { devices, mayUnpairedSignIn } = parts
  const lan = createLanAccess({ authenticator, devices, clock, mayUnpairedSignIn })
  const steps = createEndpointSteps({
    lan,
    db,
    authenticator,
    overrides: parts.overrides,
    openStreams: parts.openStreams,
    idempotency: createIdempotency({ db, deletion }),
    rateLimit: createRateLimit({ perMinute: limits.requestsPerMinute }),
    streamLimit: createStreamLimit(limits.eventStreamsPerPrincipal),
    remoteAddress: (req) => remoteAddress(req, isTrusted),
    isExempt,
    yieldWrite,
    log,
  })
  const common = {
    routes: parts.routes,
    steps,
    commonSteps: createCommonSteps(guard, log),
    replyWithProblem: createReplyWithProblem(logger, log),
    clock,
  }
  const app = createApp({
    ...common,
    lan,
    isTrusted,
    consoleDir,
    system: {
      endpoints,
      version: serviceVersion,
      db,
      metrics,
      authenticator,
      clock,
      requireUpgrade: (req) => live.requireUpgrade(req),
      isLoopbackPeer: (req) => !isLan(req) && isLoopbackPeer(req.socket.remoteAddress, req.headers),
      deletionPaused: () => deletion.state().reason,
      activeDefaults: parts.activeDefaults,
    },
  })
  const dispatchHot = createHotRoutes(common)
  const gate = createReplyGate({ replies: limits.unreadReplies, stallMs: limits.unreadReplyMs })
  const server = createHttpServer({
    handle: (req, res) => {
      if (!dispatchHot(req, res)) app(req, res)
    },
    messageClasses: createMessageClasses(app),
    gate,
    logger,
  })
  limitAddresses(server, {
    perAddress: limits.connectionsPerAddress,
    isExempt,
    onRefused: (address) => logger.warn({ address }, 'refused a connection: too many from its address'),
  })
  onUpgrade(server, (req, socket, head) => live.handleUpgrade(req, socket, head))
  return server
}
