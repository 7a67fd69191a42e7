import type { ServerFrame } from '../../../contract/live/frames.ts'

/** A frame with a sequence number, which is the same for all receivers. */
export type NumberedFrame = Exclude<ServerFrame, { type: 'hello' | 'pong' }>

/** An event that has happened and is on disk. Correctness must not depend on a listener. */
export type Announcement =
  | {
      readonly kind: 'frame'
      readonly frame: NumberedFrame
      /** The environment whose clients receive the frame; null for consoles only. */
      readonly namespace: string | null
      readonly workspaceId: string | null
      /** The workspace that the item was moved out of. */
      readonly fromWorkspaceId?: string
      /** The users whose account or session the frame is about. */
      readonly userIds?: readonly string[]
      /**
       * Ids of the clients that receive the frame. Without it, all clients of the environment and workspace
       * do.
       */
      readonly clientIds?: ReadonlySet<string>
    }
  /** Runs were added or removed. Several such events become one `changed` frame. */
  | {
      readonly kind: 'runs'
      /** The workspaces of the runs. */
      readonly workspaceIds: readonly string[]
    }
  /** Frames up to this number were lost, because this instance did not read them in time. */
  | { readonly kind: 'lost'; readonly seq: number }
  /** A provider became ready or failing. Not stored: it describes the present. */
  | { readonly kind: 'providers' }
  /** Clients of other instances connected, disconnected or reported. Null: clients of any workspace. */
  | { readonly kind: 'clients'; readonly workspaceIds: readonly string[] | null }

/** Distributes announcements within the process. */
export type Bus = {
  announce(announcement: Announcement): void
  /** Subscribes to announcements. Returns a function that ends the subscription. */
  listen(listener: (announcement: Announcement) => void): () => void
}

export function createBus(): Bus {
  const listeners = new Set<(announcement: Announcement) => void>()
  return {
    announce(announcement) {
      for (const listener of listeners) listener(announcement)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
