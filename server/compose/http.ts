import type { KeyObject } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../contract/index.ts'
import type { Devices } from '../auth/devices/devices.ts'
import type { Authenticator } from '../auth/identity/identity.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/types.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { PermissionOverrides } from '../http/access.ts'
import { createApp, createCommonSteps } from '../http/app.ts'
import type { Guard } from '../http/guard.ts'
import { createHotRoutes } from '../http/hot-routes.ts'
import { createIdempotency } from '../http/idempotency/idempotency.ts'
import { limitAddresses } from '../http/limits/address-limit.ts'
import { createRateLimit } from '../http/limits/rate-limit.ts'
import { createReplyLimiter } from '../http/limits/reply-limiter.ts'
import { createStreamLimit } from '../http/limits/stream-limit.ts'
import { isLan } from '../http/listener.ts'
import type { Metrics } from '../http/metrics/metrics.ts'
import { createRequestLog } from '../http/metrics/request-log.ts'
import { createMessageClasses } from '../http/node/message-classes.ts'
import { onUpgrade } from '../http/node/protocol-upgrade.ts'
import { prepareTarget } from '../http/node/request-target.ts'
import type { OpenStreams } from '../http/open-streams.ts'
import { createYield } from '../http/reply/yield.ts'
import type { Route } from '../http/route.ts'
import type { SystemDeps } from '../http/routing/system.router.ts'
import { createHttpServer, createHttpsServer } from '../http/server.ts'
import { createEndpointSteps } from '../http/steps/endpoint-steps.ts'
import { createLanAccess } from '../http/steps/lan-access.ts'
import { createLogProblem, createReplyWithProblem } from '../http/steps/reply-with-problem.ts'
import { serverOptions } from '../lan/listener/tls-options.ts'
import type { Clock } from '../lib/clock.ts'
import { isLoopbackAddress, isLoopbackPeer, remoteAddress, trustedProxies } from '../lib/remote-address.ts'
import type { BasePath } from '../lib/text/base-path.ts'
import { serviceVersion } from '../lib/version.ts'
import type { Hub } from '../live/hub.ts'
import type { DeletionClock } from '../retention/deletion-clock.ts'
import type { Telemetry } from '../telemetry/receive/receive.ts'
import type { ComposeDeps } from './deps.ts'

const consoleDir = fileURLToPath(new URL('../../renderer/', import.meta.url))

type HttpParts = {
  readonly routes: readonly Route[]
  readonly db: Db
  readonly authenticator: Authenticator
  readonly overrides: PermissionOverrides
  readonly openStreams: OpenStreams
  readonly gateway: Gateway
  readonly guard: Guard
  readonly metrics: Metrics
  readonly live: Hub
  readonly telemetry: Telemetry
  readonly deletion: DeletionClock
  readonly bodyKey: KeyObject
  readonly devices: Pick<Devices, 'find'>
  readonly mayUnpairedSignIn: () => boolean
  readonly activeDefaults: () => { password: boolean; token: boolean }
}

/**
 * Creates the HTTP server and the HTTPS server of the LAN listener, which serve the same: routes, static and
 * system routes, limits and the upgrade of live connections.
 */
export function composeHttp(
  config: Config,
  { clock, logger }: ComposeDeps,
  parts: HttpParts,
): { readonly server: Server; readonly lanServer: TlsServer } {
  const { limits } = config
  const { db, authenticator, guard, live, deletion, metrics, bodyKey } = parts
  const isTrusted = trustedProxies(config.trustedProxies)
  const isExempt = (address: string) => isLoopbackAddress(address) || isTrusted(address)
  const yieldWrite = createYield()
  const log = createRequestLog(metrics, logger)
  const logProblem = createLogProblem(logger)
  const { devices, mayUnpairedSignIn } = parts
  const lan = createLanAccess({ authenticator, devices, clock, mayUnpairedSignIn })
  const steps = createEndpointSteps({
    lan,
    db,
    authenticator,
    overrides: parts.overrides,
    openStreams: parts.openStreams,
    idempotency: createIdempotency({ db, deletion, bodyKey }),
    rateLimit: createRateLimit({ perMinute: limits.requestsPerMinute }),
    streamLimit: createStreamLimit(limits.eventStreamsPerPrincipal),
    remoteAddress: (req) => remoteAddress(req, isTrusted),
    isExempt,
    isLocalPeer: ({ socket, headers }) =>
      !('encrypted' in socket) && isLoopbackPeer(socket.remoteAddress, headers),
    yieldWrite,
    log,
  })
  const common = {
    routes: parts.routes,
    steps,
    commonSteps: createCommonSteps(guard, log, isTrusted),
    replyWithProblem: createReplyWithProblem(logProblem, logger, log),
    clock,
  }
  const app = createApp({
    ...common,
    lan,
    isTrusted,
    consoleDir,
    basePath: config.basePath,
    telemetry: { telemetry: parts.telemetry, db, steps, log, logProblem },
    system: systemOf(config, clock, parts),
    gateway: { steps, gateway: parts.gateway, openStreams: parts.openStreams, log },
  })
  const dispatchHot = createHotRoutes(common)
  const replyLimiter = createReplyLimiter({ replies: limits.unreadReplies, stallMs: limits.unreadReplyMs })
  const serverParts = {
    handle: (req: IncomingMessage, res: ServerResponse) => {
      if (!dispatchHot(req, res)) app(req, res)
    },
    messageClasses: createMessageClasses(app),
    replyLimiter,
    basePath: config.basePath,
    logger,
  }
  const server = createHttpServer(serverParts)
  const lanServer = createHttpsServer(serverParts, serverOptions)
  limitAddresses(server, {
    perAddress: limits.connectionsPerAddress,
    isExempt,
    onRefused: (address) => logger.warn({ address }, 'rejected a connection: too many from its address'),
  })
  for (const each of [server, lanServer]) acceptUpgrades(each, live, config.basePath)
  return { server, lanServer }
}

const systemOf = (config: Config, clock: Clock, parts: HttpParts): SystemDeps => ({
  ...parts,
  endpoints,
  version: serviceVersion,
  basePath: config.basePath,
  gatewayBodyBytes: config.limits.gatewayBodies.maxBytes,
  clock,
  requireUpgrade: (req) => parts.live.requireUpgrade(req),
  isLoopbackPeer: (req) => !isLan(req) && isLoopbackPeer(req.socket.remoteAddress, req.headers),
  deletionPaused: () => parts.deletion.state().reason,
})

function acceptUpgrades(server: Server, live: Pick<Hub, 'handleUpgrade'>, basePath: BasePath): void {
  onUpgrade(server, (req, socket, head) => {
    prepareTarget(req, basePath)
    live.handleUpgrade(req, socket, head)
  })
}
