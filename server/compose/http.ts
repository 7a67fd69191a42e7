import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../contract/index.ts'
import type { Authenticator } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/types.ts'
import type { PermissionOverrides } from '../http/access.ts'
import { limitAddresses } from '../http/address-limit.ts'
import type { Guard } from '../http/guard.ts'
import { createIdempotency } from '../http/idempotency.ts'
import type { Metrics } from '../http/metrics.ts'
import { onUpgrade } from '../http/offers.ts'
import type { OpenStreams } from '../http/open-streams.ts'
import { createOutside } from '../http/outside.ts'
import { createPipeline } from '../http/pipeline.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { createReplyGate } from '../http/reply-gate.ts'
import type { Route } from '../http/route.ts'
import { createHttpServer } from '../http/server.ts'
import { createStreamLimit } from '../http/stream-limit.ts'
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
  readonly defaultsInForce: () => { password: boolean; token: boolean }
}

/** Creates the HTTP server: routes, static and system routes, limits and the upgrade of live connections. */
export function composeHttp(config: Config, { clock, logger }: ComposeDeps, parts: HttpParts): Server {
  const { limits } = config
  const { db, authenticator, guard, metrics, live, deletion } = parts
  const isTrusted = trustedProxies(config.trustedProxies)
  const isExempt = (address: string) => isLoopbackAddress(address) || isTrusted(address)
  const pipeline = createPipeline({
    routes: parts.routes,
    db,
    authenticator,
    overrides: parts.overrides,
    openStreams: parts.openStreams,
    guard,
    idempotency: createIdempotency({ db, deletion }),
    metrics,
    clock,
    logger,
    remoteAddress: ({ socket, headers }) =>
      remoteAddress({
        socketAddress: socket.remoteAddress,
        forwardedFor: headers['x-forwarded-for'],
        isTrusted,
      }),
    isExempt,
    rateLimit: createRateLimit({ perMinute: limits.requestsPerMinute }),
    streamLimit: createStreamLimit(limits.eventStreamsPerPrincipal),
  })
  const outside = createOutside({
    endpoints,
    version: serviceVersion,
    consoleDir,
    db,
    metrics,
    authenticator,
    clock,
    requireUpgrade: (req) => live.requireUpgrade(req),
    isLoopbackPeer: ({ socket, headers }) => isLoopbackPeer(socket.remoteAddress, headers),
    deletionPaused: () => deletion.state().reason,
    defaultsInForce: parts.defaultsInForce,
  })
  const gate = createReplyGate({ replies: limits.unreadReplies, stallMs: limits.unreadReplyMs })
  const server = createHttpServer({ pipeline, outside, guard, gate, logger })
  limitAddresses(server, {
    perAddress: limits.connectionsPerAddress,
    isExempt,
    onRefused: (address) => logger.warn({ address }, 'refused a connection: too many from its address'),
  })
  onUpgrade(server, (req, socket, head) => live.handleUpgrade(req, socket, head))
  return server
}
