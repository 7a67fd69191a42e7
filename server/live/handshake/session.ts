import { closeCodes } from '../../../contract/live/frames.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import type { PermissionOverrides } from '../../http/access.ts'
import type { Clock } from '../../lib/clock.ts'
import { principalOf } from '../../lib/context.ts'
import type { Broadcast } from '../broadcast/broadcast.ts'
import type { AccessCheck } from '../connections/access.ts'
import type { Entry } from '../connections/client-entry.ts'
import type { Connection } from '../connections/connection.ts'
import type { Connections } from '../connections/connections.ts'
import { identificationOf } from '../connections/identification.ts'
import type { LiveLimits } from '../connections/limits.ts'
import type { Registry } from '../connections/registry.ts'
import { isInAudience } from '../frames/audience.ts'
import { createSendQueue, type SendQueue } from '../frames/send-queue.ts'

export type SessionDeps = {
  readonly access: Pick<AccessCheck, 'generation' | 'check'>
  readonly broadcast: Pick<Broadcast, 'seq'>
  readonly connections: Pick<Connections, 'close'>
  readonly registry: Registry
  /** Call it when a client connected or reported. */
  readonly clientChanged: (entry: Entry) => void
  readonly overrides: PermissionOverrides
  readonly clock: Clock
  readonly limits: Pick<LiveLimits, 'maxBufferedBytes'>
}

/** The authenticated caller of a connection. */
export type Caller = {
  readonly token: string
  readonly identity: Identity
  /** The generation of access before the token was looked up. */
  readonly generation: number
}

/** Registers an authenticated client. Frames for it are queued until the service's hello is sent. */
export function openSession(deps: SessionDeps, connection: Connection, caller: Caller): void {
  const { token, identity, generation } = caller
  connection.access = { token, identity, checks: 0, hasMissed: false }
  const entry = entryOf(connection, identity, deps.clock.now())
  connection.session = { entry, sendQueue: sendQueueOf(deps, connection), workspaceId: null }
  deps.registry.add(entry)
  deps.clientChanged(entry)
  // Access changed while the token was looked up.
  if (deps.access.generation() !== generation) void deps.access.check(connection)
}

function entryOf(connection: Connection, identity: Identity, now: Date): Entry {
  const { id, remoteAddr, userAgent } = connection
  const identification = identificationOf(connection.helloFields, userAgent)
  return {
    id,
    connectedAt: now,
    lastSeenAt: now,
    disconnectedAt: null,
    remoteAddr,
    userAgent,
    username: identity.actor.name,
    account: principalOf(identity.actor),
    identification,
    workspace: identification.workspace ?? defaultWorkspaceId,
    workspaceId: null,
    keys: new Set(),
    acked: new Map(),
  }
}

function sendQueueOf(deps: SessionDeps, connection: Connection): SendQueue {
  const { broadcast, connections, limits, overrides } = deps
  return createSendQueue({
    socket: connection.socket,
    maxBufferedBytes: limits.maxBufferedBytes,
    isInAudience(addressed) {
      const { session, access } = connection
      if (session === null || access === null) return false
      if (access.checks > 0) {
        access.hasMissed = true
        return false
      }
      const { namespace } = session.entry.identification
      const recipient = { namespace, workspaceId: session.workspaceId, identity: access.identity }
      return isInAudience(recipient, addressed, overrides)
    },
    // The Python SDK of PromptOps stops watching a key when it cannot fetch it.
    isUnsupported: (frame) => connection.isOlderSdk && frame.type === 'prompt.deleted',
    currentSeq: broadcast.seq,
    onTooSlow: () => connections.close(connection, closeCodes.tooSlow, 'Frames are not read fast enough'),
  })
}
