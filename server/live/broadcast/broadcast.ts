import type { ChangedEntity } from '../../../contract/live/frames.ts'
import type { Announcement, Bus } from '../../history/events/bus.ts'
import type { Connections } from '../connections/connections.ts'
import { type AddressedFrame, addressedOf, everyWorkspaceId } from '../frames/audience.ts'
import { coalesce, createWorkspaceCoalescer } from '../frames/coalesce.ts'

/** Delivers announcements to the connected clients. */
export type Broadcast = {
  /** Returns the newest number announced. */
  seq(): number
  /** Call it when clients of a workspace connected, disconnected or reported. Null: of no workspace. */
  clientsChanged(workspaceId: string | null): void
  /**
   * Creates a frame for consoles that is not stored. `workspaceIds`: the workspaces concerned; null: any.
   */
  transientFrame(entity: ChangedEntity, workspaceIds: ReadonlySet<string> | null): AddressedFrame
  close(): void
}

export type BroadcastDeps = {
  readonly bus: Bus
  readonly connections: Pick<Connections, 'all'>
  /** The newest number when the service started. */
  readonly startSeq: number
  readonly coalesceMs: number
  readonly onWorkspacesChanged: () => void
}

/**
 * Sends every announcement to the connections. It awaits nothing: a slow client only fills its own buffer.
 */
export function createBroadcast(deps: BroadcastDeps): Broadcast {
  const { bus, connections, coalesceMs, onWorkspacesChanged } = deps
  let seq = deps.startSeq

  const send = (addressed: AddressedFrame, clientIds?: ReadonlySet<string>) => {
    const text = JSON.stringify(addressed.frame)
    for (const { id, session } of connections.all()) {
      if (clientIds === undefined || clientIds.has(id)) session?.sendQueue.push(addressed, text)
    }
  }

  /**
   * Frames for consoles from the current round of the event loop. One transaction can change thousands of
   * entities.
   */
  let forConsoles: AddressedFrame[] = []
  const flush = () => {
    const frames = forConsoles
    forConsoles = []
    for (const addressed of coalesce(frames)) send(addressed)
  }
  const queueForConsoles = (addressed: AddressedFrame) => {
    if (forConsoles.length === 0) setImmediate(flush)
    forConsoles.push(addressed)
  }

  const transientFrame: Broadcast['transientFrame'] = (entity, workspaceIds) => ({
    frame: { type: 'changed', seq, entity, id: null },
    namespace: null,
    workspaceId: null,
    workspaceIds: workspaceIds ?? everyWorkspaceId,
    isTransient: true,
  })
  const queueTransient = (entity: ChangedEntity) => (ids: ReadonlySet<string> | null) =>
    queueForConsoles(transientFrame(entity, ids))
  const runs = createWorkspaceCoalescer(coalesceMs, queueTransient('run'))
  const clients = createWorkspaceCoalescer(coalesceMs, queueTransient('client'))
  const providers = createWorkspaceCoalescer(coalesceMs, queueTransient('provider'))

  const announceFrame = (announced: Extract<Announcement, { kind: 'frame' }>) => {
    const { kind: _, clientIds, ...addressed } = announced
    const { frame, namespace } = addressed
    seq = Math.max(seq, frame.seq)
    if (frame.type === 'changed' && frame.entity === 'workspace') onWorkspacesChanged()
    if (namespace === null) queueForConsoles(addressedOf(addressed))
    else send(addressedOf(addressed), clientIds)
  }
  const stop = bus.listen((announcement) => {
    if (announcement.kind === 'frame') announceFrame(announcement)
    else if (announcement.kind === 'runs') runs.trigger(announcement.workspaceIds)
    else if (announcement.kind === 'clients') clients.trigger(announcement.workspaceIds)
    else if (announcement.kind === 'providers') providers.trigger(null)
    else {
      seq = Math.max(seq, announcement.seq)
      for (const { session } of connections.all()) session?.sendQueue.resync()
    }
  })

  return {
    seq: () => seq,
    clientsChanged: (workspaceId) => clients.trigger(workspaceId === null ? [] : [workspaceId]),
    transientFrame,
    close() {
      stop()
      runs.cancel()
      clients.cancel()
      providers.cancel()
    },
  }
}
