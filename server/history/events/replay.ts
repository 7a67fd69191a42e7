import type { EventsTable } from '../../db/schema/events.ts'
import type { Db } from '../../db/types.ts'
import type { NumberedFrame } from './bus.ts'
import { consoleEventsAfter, liveSeq, namespaceEventsAfter, replayDepth } from './events.store.ts'

export type ReplayedFrame = {
  readonly frame: NumberedFrame
  readonly namespace: string | null
  readonly workspaceId: string | null
  readonly fromWorkspaceId?: string
  readonly userIds?: readonly string[]
}

export type Missed =
  /** Everything announced to that audience after the given number, oldest first. */
  | { readonly kind: 'frames'; readonly frames: readonly ReplayedFrame[] }
  /** The client is too far behind, or ahead of the service, and must fetch everything again. */
  | { readonly kind: 'resync'; readonly seq: number }

/** Reads stored frames for clients that reconnect. */
export type Replay = {
  /** Returns the newest sequence number that is on disk. */
  seq(): Promise<number>
  /** Returns what a client missed since `since`. `namespace` is null for consoles. */
  missed(since: number, namespace: string | null): Promise<Missed>
}

export function createReplay(db: Db): Replay {
  return {
    async seq() {
      const value = await liveSeq(db.read)
      await db.settled()
      return value
    },
    async missed(since, namespace) {
      const rows = await (namespace === null
        ? consoleEventsAfter(db.read, { seq: since })
        : namespaceEventsAfter(db.read, { seq: since, namespace }))
      // Read the newest number after the rows: frames that were pruned before the rows were read then count
      // as missed.
      const seq = await liveSeq(db.read)
      await db.settled()
      if (since > seq || seq - since > replayDepth) return { kind: 'resync', seq }
      return { kind: 'frames', frames: rows.map(toFrame) }
    },
  }
}

export function toFrame(row: EventsTable): ReplayedFrame {
  return {
    // `record` wrote it from a typed frame.
    frame: { ...JSON.parse(row.payload), seq: row.seq },
    namespace: row.namespace,
    workspaceId: row.workspace_id,
    ...(row.from_workspace_id !== null && { fromWorkspaceId: row.from_workspace_id }),
    ...(row.user_id !== null && { userIds: [row.user_id] }),
  }
}
