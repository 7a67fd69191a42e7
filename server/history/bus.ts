import type { ServerFrame } from '../../contract/live.ts'

/** A frame with a number of its own, the same for everybody who hears it. */
export type NumberedFrame = Exclude<ServerFrame, { type: 'hello' | 'pong' }>

/** Something that has happened and is on disk. Removing a listener breaks no rule. */
export type Announcement =
  | {
      readonly kind: 'frame'
      readonly frame: NumberedFrame
      /** The environment whose clients hear it; null: consoles only. */
      readonly namespace: string | null
      readonly workspaceId: string | null
      /** The users whose account or session it is about. */
      readonly userIds?: readonly string[]
      /** Ids of the clients it is for; everybody of the namespace and workspace unless given. */
      readonly only?: ReadonlySet<string>
    }
  /** Runs were added or removed; a burst becomes one `changed` frame. */
  | { readonly kind: 'runs' }

export type Bus = {
  announce(announcement: Announcement): void
  /** Returns a function that ends the subscription. */
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
