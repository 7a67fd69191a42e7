import type { Logger } from 'pino'
import { closeCodes, everyNamespace } from '../../contract/live.ts'
import type { Authenticator, Identity } from '../auth/identity.ts'
import type { Replay } from '../history/replay.ts'
import type { PermissionOverrides } from '../http/access.ts'
import type { Clock } from '../lib/clock.ts'
import { principalOf } from '../lib/context.ts'
import { Problem } from '../lib/fail.ts'
import { watchRefusal, watchWarning } from '../lib/limits.ts'
import type { AccessCheck } from './access.ts'
import { hears } from './audience.ts'
import type { Broadcast } from './broadcast.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { type Hello, type Identification, identificationOf, merge } from './identification.ts'
import type { LiveLimits } from './limits.ts'
import { framesMissed } from './missed.ts'
import { createOutbox } from './outbox.ts'
import { addKeys, type Registry } from './registry.ts'

export type FindWorkspace = (
  idOrSlug: string,
) => Promise<{ readonly id: string; readonly slug: string } | null>

/** The workspace of SDKs that name none. */
const defaultWorkspace = 'default'

export type GreeterDeps = {
  readonly authenticator: Authenticator
  readonly access: Pick<AccessCheck, 'generation' | 'check'>
  /** Returns why a caller may not have one more connection, or null. */
  readonly admit: (identity: Identity) => Problem | null
  readonly broadcast: Broadcast
  readonly connections: Pick<Connections, 'close' | 'all'>
  readonly registry: Registry
  readonly replay: Replay
  readonly findWorkspace: FindWorkspace
  readonly overrides: PermissionOverrides
  readonly clock: Clock
  readonly limits: LiveLimits
  readonly logger: Pick<Logger, 'error'>
}

type Session = NonNullable<Connection['session']>

/** Returns the environment and workspace of a client. */
const watched = ({ entry, workspaceId }: Session) => ({
  namespace: entry.identification.namespace,
  workspaceId,
})

/** Runs the handshake of accepted sockets. It determines a client's identity, audience and missed frames. */
export function createGreeter(deps: GreeterDeps) {
  const { authenticator, access, broadcast, connections, registry, findWorkspace, clock, limits } = deps

  /** Registers an authenticated client. Frames for it are queued until the service's hello is sent. */
  const admit = (connection: Connection, token: string, identity: Identity, generation: number) => {
    connection.access = { token, identity }
    const now = clock.now()
    const identification = identificationOf(connection.introduction, connection.userAgent)
    const session: Session = {
      entry: {
        id: connection.id,
        connectedAt: now,
        lastSeenAt: now,
        disconnectedAt: null,
        remoteAddr: connection.remoteAddr,
        userAgent: connection.userAgent,
        username: identity.actor.name,
        account: principalOf(identity.actor),
        identification,
        workspace: identification.workspace ?? defaultWorkspace,
        keys: new Set(),
        acked: new Map(),
      },
      outbox: createOutbox({
        socket: connection.socket,
        maxBufferedBytes: limits.maxBufferedBytes,
        hears: (addressed) => {
          const ear = { ...watched(session), identity: connection.access?.identity ?? null }
          return hears(ear, addressed, deps.overrides)
        },
        // The Python SDK of PromptOps stops watching a key when it cannot fetch it.
        isWithheld: (frame) => connection.isOlderSdk && frame.type === 'prompt.deleted',
        currentSeq: broadcast.seq,
        onTooSlow: () => connections.close(connection, closeCodes.tooSlow, 'Frames are not read fast enough'),
      }),
      workspaceId: null,
    }
    connection.session = session
    registry.add(session.entry)
    broadcast.clientsChanged()
    // Access changed while the token was looked up.
    if (access.generation() !== generation) void access.check(connection)
    return session
  }

  /**
   * Applies the client's identification. Returns the warnings for it, or null if its token is limited to
   * another place: the connection is then closed, and nothing of that place is sent.
   */
  const apply = async (
    connection: Connection,
    identification: Identification,
  ): Promise<readonly string[] | null> => {
    const { session } = connection
    if (session === null) return []
    const named = identification.workspace
    const isWide = named === null && identification.namespace === everyNamespace
    const workspace = isWide ? null : await findWorkspace(named ?? defaultWorkspace)
    const workspaceId = isWide ? null : (workspace?.id ?? named ?? defaultWorkspace)
    if (!isWithinLimits(connection, identification.namespace, workspaceId)) return null
    session.entry.identification = identification
    session.workspaceId = workspaceId
    session.entry.workspace = workspace?.slug ?? named ?? defaultWorkspace
    const hint = watchWarning(connection.access?.identity.actor.limits, identification.namespace)
    const warnings = [...identification.warnings, ...(hint === null ? [] : [hint])]
    if (workspace !== null || named === null) return warnings
    return [...warnings, `There is no workspace "${named}": no events will come until there is`]
  }

  /** Sends the service's hello, once; a later hello of the client may cause a resync. */
  const greet = async (connection: Connection, since: number | null) => {
    const { session } = connection
    if (session === null || connection.isClosing) return
    if (connection.timer !== null) clearTimeout(connection.timer)
    connection.timer = null
    const isFirst = !connection.isGreeted
    connection.isGreeted = true
    const before = { ...watched(session) }
    const warnings = await apply(connection, identificationOf(connection.introduction, connection.userAgent))
    if (warnings === null || connection.isClosing) return
    if (!isFirst) {
      const after = watched(session)
      const hasMoved = before.namespace !== after.namespace || before.workspaceId !== after.workspaceId
      session.outbox.again(since, hasMoved)
      return
    }
    session.outbox.sendNow({
      type: 'hello',
      client_id: connection.id,
      // All frames after this number follow.
      seq: session.outbox.begin(since),
      heartbeat_s: limits.heartbeatMs / 1000,
      ...(warnings.length > 0 && { warning: warnings.join('. ') }),
    })
    const { namespace } = session.entry.identification
    const missed = since === null ? null : await framesMissed(deps, namespace, since)
    // Not awaited, because a client that reads slowly must not delay the reading of its own frames.
    session.outbox
      .release(missed)
      .catch((err: unknown) => deps.logger.error({ err, client: connection.id }, 'frames could not be sent'))
  }

  return {
    /** Accepts a client whose token came with the upgrade. Waits `helloGraceMs` for its hello. */
    acceptIdentified(connection: Connection, token: string, identity: Identity, generation: number): void {
      admit(connection, token, identity, generation)
      connection.timer = setTimeout(() => {
        if (!connection.isGreeted)
          enqueue(connection, () => greet(connection, connection.introduction.since_seq ?? null))
      }, limits.helloGraceMs)
    },

    /** Accepts a client whose token must come in the first frame. */
    acceptUnidentified(connection: Connection): void {
      connection.timer = setTimeout(
        () => connections.close(connection, closeCodes.signedOut, 'No hello with a token came in time'),
        limits.helloMs,
      )
    },

    async hello(connection: Connection, frame: Hello): Promise<void> {
      const { type: _, token, ...said } = frame
      connection.isOlderSdk = false
      connection.introduction = merge(connection.introduction, said)
      if (connection.access === null) {
        const generation = access.generation()
        const identity = await authenticator.identify(token ?? null, clock.now())
        if (connection.isClosing) return
        if (identity.isBlocked) {
          connections.close(connection, closeCodes.signedOut, 'Choose a new password first')
          return
        }
        const noRoom = deps.admit(identity)
        if (noRoom !== null) {
          connections.close(connection, closeCodes.displaced, noRoom.message)
          return
        }
        admit(connection, token ?? '', identity, generation)
      }
      if (connection.session !== null && said.keys !== undefined) addKeys(connection.session.entry, said.keys)
      const since = connection.isGreeted ? said.since_seq : connection.introduction.since_seq
      await greet(connection, since ?? null)
      broadcast.clientsChanged()
    },

    failed,

    /** Updates the workspaces of clients, because one may have been created or renamed. */
    workspacesChanged(): void {
      for (const connection of connections.all()) {
        const { session } = connection
        const isBound = session !== null && connection.isGreeted && session.workspaceId !== null
        if (isBound) enqueue(connection, () => rebind(connection))
      }
    },
  }

  /** Closes a connection whose frame could not be handled. */
  function failed(connection: Connection, error: unknown): void {
    if (error instanceof Problem && error.status < 500) {
      connections.close(connection, closeCodes.signedOut, error.message)
      return
    }
    deps.logger.error({ err: error, client: connection.id }, 'a live connection failed')
    connections.close(connection, 1011, 'The service could not handle that frame')
  }

  /** Returns true if the token allows this place. Otherwise closes the connection and returns false. */
  function isWithinLimits(connection: Connection, namespace: string, workspaceId: string | null): boolean {
    const limits = connection.access?.identity.actor.limits
    const refusal = watchRefusal(limits, { namespace, workspaceId })
    if (refusal !== null) connections.close(connection, closeCodes.signedOut, refusal)
    return refusal === null
  }

  async function rebind(connection: Connection): Promise<void> {
    const { session } = connection
    if (session === null || session.workspaceId === null) return
    const named = session.entry.identification.workspace ?? defaultWorkspace
    const workspace = (await findWorkspace(session.workspaceId)) ?? (await findWorkspace(named))
    if (workspace === null) return
    if (!isWithinLimits(connection, session.entry.identification.namespace, workspace.id)) return
    session.workspaceId = workspace.id
    session.entry.workspace = workspace.slug
  }

  function enqueue(connection: Connection, work: () => Promise<void>): void {
    connection.turn = connection.turn
      .then(() => (connection.isClosing ? undefined : work()))
      .catch((error: unknown) => failed(connection, error))
  }
}
