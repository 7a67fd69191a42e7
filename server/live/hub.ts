import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { closeCodes } from '../../contract/live/frames.ts'
import type { Authenticator, LiveAccess } from '../auth/identity/identity.ts'
import type { Bus } from '../history/events/bus.ts'
import type { Replay } from '../history/events/replay.ts'
import type { PermissionOverrides } from '../http/access.ts'
import type { Clock } from '../lib/clock.ts'
import type { Problem } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import type { ConnectedClient, RemoteClients, RequestClient } from '../resources/connected-client.ts'
import type { KeyPlace, KeyUsers } from '../resources/key-users.ts'
import { type Broadcast, createBroadcast } from './broadcast/broadcast.ts'
import { createAccessCheck } from './connections/access.ts'
import { createAdmission } from './connections/admission.ts'
import type { Entry } from './connections/client-entry.ts'
import type { Connection } from './connections/connection.ts'
import { createConnections } from './connections/connections.ts'
import { createFrameHandler } from './connections/frame-handler.ts'
import { markAlive, startHeartbeat } from './connections/heartbeat.ts'
import { usageOf, usersOf } from './connections/key-users.ts'
import { defaultLimits, type LiveLimits } from './connections/limits.ts'
import { createRegistry } from './connections/registry.ts'
import type { FindWorkspace } from './connections/workspace-binding.ts'
import { createHandshake } from './handshake/handshake.ts'
import { createUpgrade } from './handshake/upgrade.ts'

export type HubDeps = {
  readonly authenticator: Authenticator
  readonly bus: Bus
  readonly replay: Replay
  /**
   * Resolves when all frames that were committed before the call have been announced, for a client that connects. By
   * default they have.
   */
  readonly caughtUp?: () => Promise<void>
  /** The clients of other instances, which the lists contain too. By default there are none. */
  readonly remoteClients?: RemoteClients
  /** Returns the workspace of an id or slug. */
  readonly findWorkspace: FindWorkspace
  /** Permissions that settings move to another role; the same as for routes. */
  readonly overrides?: PermissionOverrides
  /** Checks Host and Origin; the same guard as for routes. */
  readonly guard: { refuse(req: IncomingMessage): Problem | null }
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  readonly config: { readonly trustedProxies: readonly string[]; readonly allowUrlToken: boolean }
  readonly limits?: Partial<LiveLimits>
}

export type Hub = LiveAccess & {
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Rejects a request to /ws without an upgrade: with 426, or 401 without a valid token. */
  requireUpgrade(req: IncomingMessage): Promise<never>
  /** Returns the connected clients, and with `includeDisconnected` those that disconnected within the last hour. */
  clients(options: { readonly includeDisconnected: boolean }): ConnectedClient[]
  /** Returns a function that counts the clients of a key, for many keys at once. */
  usage(): (place: KeyPlace) => number
  /** Returns the clients of a key and their acknowledged versions. */
  users(place: KeyPlace): KeyUsers
  /**
   * Returns the connection of an app's instance, for other requests of the same account. Null if there is
   * none.
   */
  clientOf(instanceId: string, account: string): RequestClient | null
  /** Closes a client's connection. Returns false if the client is not connected to this instance. */
  disconnect(id: string): boolean
  /** Returns the number of open sockets, including unidentified ones. */
  count(): number
  close(): Promise<void>
}

/** Creates the live connections: handshake, registry, heartbeat and delivery of frames. */
export async function createHub(deps: HubDeps): Promise<Hub> {
  const parts = createParts(deps, await deps.replay.seq())
  const { connections, registry, access, broadcast, heartbeat } = parts
  let isStopping = false
  const { handleUpgrade, requireUpgrade } = createHubUpgrade(deps, parts, () => isStopping)

  return {
    handleUpgrade,
    requireUpgrade,
    recheck: access.recheck,
    move: access.move,
    clients: (options) => registry.list(options),
    usage: () => usageOf(registry.entries().live),
    users: (place) => usersOf(registry.entries(), place),
    clientOf(instanceId, account) {
      const entry = registry.find(instanceId, account)
      return entry === undefined ? null : { id: entry.id, app: entry.identification.app }
    },
    count: () => connections.count(),
    disconnect(id) {
      const connection = connections.find(id)
      if (connection === undefined || !registry.has(id)) return false
      connections.close(connection, closeCodes.disconnected, 'Disconnected by an administrator')
      return true
    },
    async close() {
      isStopping = true
      broadcast.close()
      heartbeat.close()
      access.close()
      for (const connection of connections.all()) {
        connections.close(connection, closeCodes.shutdown, 'The service is stopping')
      }
      await connections.drained()
    },
  }
}

/** Creates and connects the parts of the hub. `startSeq` is the newest number on disk. */
function createParts(deps: HubDeps, startSeq: number) {
  const { authenticator, bus, replay, findWorkspace, clock, newId, logger } = deps
  const limits: LiveLimits = { ...defaultLimits, ...deps.limits }
  const registry = createRegistry(clock, limits, deps.remoteClients)
  const clientChanged = (entry: Entry): void => {
    registry.share(entry.id)
    broadcast.clientsChanged(entry.workspaceId)
  }
  const connections = createConnections({
    registry,
    newId,
    limits,
    logger,
    onDisconnect: clientChanged,
  })
  const broadcast: Broadcast = createBroadcast({
    bus,
    connections,
    startSeq,
    coalesceMs: limits.coalesceMs,
    onWorkspacesChanged: () => handshake.workspacesChanged(),
  })
  const access = createAccessCheck({
    authenticator,
    connections,
    clock,
    expiryMs: limits.expiryMs,
    onAccessChanged: (connection) => handshake.accessChanged(connection),
    logger,
  })
  const admit = createAdmission({ connections, limits })
  const handshake = createHandshake({
    authenticator,
    admit,
    access,
    broadcast,
    connections,
    registry,
    clientChanged,
    replay,
    caughtUp: deps.caughtUp,
    findWorkspace,
    overrides: deps.overrides ?? (() => ({})),
    clock,
    limits,
    logger,
  })
  const heartbeat = startHeartbeat(connections, limits)
  return { limits, registry, connections, broadcast, access, admit, handshake, heartbeat, clientChanged }
}

function createHubUpgrade(deps: HubDeps, parts: ReturnType<typeof createParts>, isStopping: () => boolean) {
  const { guard, authenticator, clock, config, logger } = deps
  const { limits, connections, access, admit, handshake } = parts
  const handleFrame = createFrameHandler({
    connections,
    clock,
    onHello: handshake.hello,
    onReport: parts.clientChanged,
    onError: handshake.failed,
  })
  const listen = (connection: Connection) => {
    connection.socket.on('pong', () => markAlive(connection, clock))
    connection.socket.on('message', (data, isBinary) => {
      markAlive(connection, clock)
      handleFrame(connection, data, isBinary)
    })
  }
  return createUpgrade({
    guard,
    authenticator,
    caughtUp: deps.caughtUp,
    connections,
    clock,
    config,
    limits,
    logger,
    generation: access.generation,
    isStopping,
    admit,
    onIdentified(connection, caller) {
      listen(connection)
      handshake.acceptIdentified(connection, caller)
    },
    onUnidentified(connection) {
      listen(connection)
      handshake.acceptUnidentified(connection)
    },
  })
}
