import type { Logger } from 'pino'
import { closeCodes } from '../../../contract/live/frames.ts'
import { type Authenticator, blockedReason, type Identity } from '../../auth/identity/identity.ts'
import type { Replay } from '../../history/events/replay.ts'
import { Problem } from '../../lib/fail.ts'
import type { Broadcast } from '../broadcast/broadcast.ts'
import { readMissedFrames } from '../broadcast/missed-frames.ts'
import { addKeys } from '../connections/client-entry.ts'
import type { Connection } from '../connections/connection.ts'
import type { Connections } from '../connections/connections.ts'
import { type Hello, identificationOf, mergeHello } from '../connections/identification.ts'
import type { LiveLimits } from '../connections/limits.ts'
import { type BindingDeps, bindWorkspace, rebindWorkspace } from '../connections/workspace-binding.ts'
import { type Caller, openSession, type SessionDeps } from './session.ts'

export type HandshakeDeps = SessionDeps &
  BindingDeps & {
    readonly authenticator: Authenticator
    /** Returns why a caller may not have one more connection, or null. */
    readonly admit: (identity: Identity) => Problem | null
    readonly broadcast: Broadcast
    readonly connections: Pick<Connections, 'close' | 'all'>
    readonly replay: Replay
    readonly caughtUp: (() => Promise<void>) | undefined
    readonly limits: LiveLimits
    readonly logger: Pick<Logger, 'error'>
  }

/** Runs the handshake of accepted sockets. It determines a client's identity, audience and missed frames. */
export function createHandshake(deps: HandshakeDeps) {
  const { connections, limits } = deps
  return {
    /** Accepts a client whose token came with the upgrade. Waits `helloGraceMs` for its hello. */
    acceptIdentified(connection: Connection, caller: Caller): void {
      openSession(deps, connection, caller)
      connection.timer = setTimeout(() => {
        if (connection.isHelloSent) return
        enqueue(deps, connection, () => sendHello(deps, connection, connection.helloFields.since_seq ?? null))
      }, limits.helloGraceMs)
    },

    /** Accepts a client whose token must come in the first frame. */
    acceptUnidentified(connection: Connection): void {
      connection.timer = setTimeout(
        () => connections.close(connection, closeCodes.signedOut, 'No hello with a token arrived in time'),
        limits.helloMs,
      )
    },

    hello: (connection: Connection, frame: Hello): Promise<void> => receiveHello(deps, connection, frame),

    failed: (connection: Connection, error: unknown): void => closeAfterError(deps, connection, error),

    /** Updates the workspaces of clients, because one may have been created or renamed. */
    workspacesChanged(): void {
      for (const connection of connections.all()) {
        const { session } = connection
        const isBound = session !== null && connection.isHelloSent && session.workspaceId !== null
        if (isBound) enqueue(deps, connection, () => rebind(deps, connection))
      }
    },

    /** Updates the workspace of a client whose access changed, and makes it fetch everything again. */
    accessChanged(connection: Connection): void {
      if (connection.session === null || !connection.isHelloSent) return
      enqueue(deps, connection, () => rebind(deps, connection))
      connection.session.sendQueue.resync()
    },
  }
}

async function rebind(deps: HandshakeDeps, connection: Connection): Promise<void> {
  await rebindWorkspace(deps, connection)
  deps.registry.share(connection.id)
}

async function receiveHello(deps: HandshakeDeps, connection: Connection, frame: Hello): Promise<void> {
  const { type: _, token, ...fields } = frame
  connection.isOlderSdk = false
  connection.helloFields = mergeHello(connection.helloFields, fields)
  if (connection.access === null && !(await authenticate(deps, connection, token ?? null))) return
  if (connection.session !== null && fields.keys !== undefined) addKeys(connection.session.entry, fields.keys)
  const since = connection.isHelloSent ? fields.since_seq : connection.helloFields.since_seq
  await sendHello(deps, connection, since ?? null)
}

/** Opens the session of a client whose token came in its hello. Returns false if the connection closed. */
async function authenticate(
  deps: HandshakeDeps,
  connection: Connection,
  token: string | null,
): Promise<boolean> {
  const { authenticator, access, connections, clock } = deps
  const generation = access.generation()
  const identity = await authenticator.identify(token, clock.now())
  // Another instance may have announced more frames to the client than this one has.
  await deps.caughtUp?.()
  if (connection.isClosing) return false
  if (identity.isBlocked) {
    connections.close(connection, closeCodes.signedOut, blockedReason(identity))
    return false
  }
  const refusal = deps.admit(identity)
  if (refusal !== null) {
    connections.close(connection, closeCodes.displaced, refusal.message)
    return false
  }
  openSession(deps, connection, { token: token ?? '', identity, generation })
  return true
}

/** Sends the service's hello, once; a later hello of the client may cause a resync. */
async function sendHello(deps: HandshakeDeps, connection: Connection, since: number | null): Promise<void> {
  const { session } = connection
  if (session === null || connection.isClosing) return
  if (connection.timer !== null) clearTimeout(connection.timer)
  connection.timer = null
  const isFirst = !connection.isHelloSent
  connection.isHelloSent = true
  const before = { namespace: session.entry.identification.namespace, workspaceId: session.workspaceId }
  const identification = identificationOf(connection.helloFields, connection.userAgent)
  const warnings = await bindWorkspace(deps, connection, identification)
  if (warnings === null || connection.isClosing) return
  deps.clientChanged(session.entry)
  const { namespace } = session.entry.identification
  if (!isFirst) {
    const hasMoved = before.namespace !== namespace || before.workspaceId !== session.workspaceId
    session.sendQueue.restartFrom(since, hasMoved)
    return
  }
  session.sendQueue.sendNow({
    type: 'hello',
    client_id: connection.id,
    // All frames after this number follow.
    seq: session.sendQueue.startFrom(since),
    heartbeat_s: deps.limits.heartbeatMs / 1000,
    ...(warnings.length > 0 && { warning: warnings.join('. ') }),
  })
  const missed = since === null ? null : await readMissedFrames(deps, namespace, since)
  // Not awaited, because a client that reads slowly must not delay the reading of its own frames.
  session.sendQueue
    .release(missed)
    .catch((err: unknown) => deps.logger.error({ err, client: connection.id }, 'frames could not be sent'))
}

/** Closes a connection whose frame could not be handled. */
function closeAfterError(deps: HandshakeDeps, connection: Connection, error: unknown): void {
  if (error instanceof Problem && error.status < 500) {
    deps.connections.close(connection, closeCodes.signedOut, error.message)
    return
  }
  deps.logger.error({ err: error, client: connection.id }, 'a live connection failed')
  deps.connections.close(connection, 1011, 'The service could not handle that frame')
}

function enqueue(deps: HandshakeDeps, connection: Connection, work: () => Promise<void>): void {
  connection.frameQueue = connection.frameQueue
    .then(() => (connection.isClosing ? undefined : work()))
    .catch((error: unknown) => closeAfterError(deps, connection, error))
}
