import type { Authenticator, LiveAccess } from '../auth/identity/identity.ts'
import type { Config } from '../config.ts'
import { createReplay } from '../history/events/replay.ts'
import type { PermissionOverrides } from '../http/access.ts'
import { createGuard, type LanHosts } from '../http/guard.ts'
import { createOpenStreams } from '../http/open-streams.ts'
import { type Context, principalOf } from '../lib/context.ts'
import { trustedProxies } from '../lib/remote-address.ts'
import { createHub, type Hub } from '../live/hub.ts'
import type { RequestClient } from '../resources/connected-client.ts'
import { findWorkspace } from '../resources/workspaces.read.ts'
import type { ComposeDeps } from './deps.ts'
import type { Foundation } from './foundation/foundation.ts'

/**
 * Forwards calls to the live hub and the event streams. The services that make these calls are created first,
 * because the hub and the streams need the authenticator.
 */
export type LiveRelay = {
  readonly access: LiveAccess
  /** Returns the live connection of the app that makes a request; null if it has none. */
  clientOf(caller: Pick<Context, 'instanceId' | 'actor'>): RequestClient | null
  connect(hub: Hub, openStreams: LiveAccess): void
}

export function createLiveRelay(): LiveRelay {
  let hub: Hub | null = null
  let receivers: readonly LiveAccess[] = []
  return {
    access: {
      recheck(filter) {
        for (const receiver of receivers) receiver.recheck(filter)
      },
      move(fromSessionId, token) {
        for (const receiver of receivers) receiver.move(fromSessionId, token)
      },
    },
    clientOf: ({ instanceId, actor }) =>
      instanceId === null ? null : (hub?.clientOf(instanceId, principalOf(actor)) ?? null),
    connect(liveHub, openStreams) {
      hub = liveHub
      receivers = [liveHub, openStreams]
    },
  }
}

/** Creates the live hub, the event streams, and the guard that the hub shares with the routes. */
export async function composeLive(
  config: Config,
  deps: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'bus' | 'cluster'> & {
    readonly authenticator: Authenticator
    readonly overrides: PermissionOverrides
    readonly relay: LiveRelay
    readonly lanHosts: () => LanHosts | null
  },
) {
  const { clock, newId, logger } = deps
  const { db, bus, cluster, authenticator, overrides, relay } = parts
  const guard = createGuard({
    host: config.host,
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    publicUrl: config.publicUrl,
    isTrusted: trustedProxies(config.trustedProxies),
    lanHosts: parts.lanHosts,
  })
  const live = await createHub({
    authenticator,
    bus,
    replay: createReplay(db),
    ...(cluster.isShared && { caughtUp: cluster.caughtUp, remoteClients: cluster.clients }),
    findWorkspace: async (idOrSlug) => (await findWorkspace(db.read, idOrSlug)) ?? null,
    overrides,
    guard,
    clock,
    newId,
    logger,
    config,
    limits: {
      maxConnections: config.limits.liveConnections,
      maxPerSession: config.limits.liveConnectionsPerSession,
    },
  })
  const openStreams = createOpenStreams({ authenticator, overrides, clock, logger })
  relay.connect(live, openStreams)
  return { guard, live, openStreams }
}
