import type { EventsTable } from '../db/schema.ts'
import type { Db } from '../db/types.ts'
import type { NumberedFrame } from './bus.ts'
import { consoleEventsAfter, liveSeq, namespaceEventsAfter, replayDepth } from './events.store.ts'

export type ReplayedFrame = {
  readonly frame: NumberedFrame
  readonly namespace: string | null
  readonly workspaceId: string | null
  readonly userIds?: readonly string[]
}

export type Missed =
  /** Everything announced to that audience after the asked number, oldest first. */
  | { readonly kind: 'frames'; readonly frames: readonly ReplayedFrame[] }
  /** Too far behind, or ahead of us: only fetching everything helps. */
  | { readonly kind: 'resync'; readonly seq: number }

export type Replay = {
  /** The newest number that is on disk. */
  seq(): Promise<number>
  /** What a client missed since `since`. `namespace` null: what consoles hear. */
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
      // Read after the rows: whatever was pruned before they were read makes the difference larger.
      const seq = await liveSeq(db.read)
      await db.settled()
      if (since > seq || seq - since > replayDepth) return { kind: 'resync', seq }
      return { kind: 'frames', frames: rows.map(toFrame) }
    },
  }
}

function toFrame(row: EventsTable): ReplayedFrame {
  return {
    // Written by `record` from a typed frame.
    frame: { ...JSON.parse(row.payload), seq: row.seq },
    namespace: row.namespace,
    workspaceId: row.workspace_id,
    ...(row.user_id !== null && { userIds: [row.user_id] }),
  }
}
