/**
 * Connects the processes that use one database. It carries no data: a notification only states that there is something
 * to read, and may be lost.
 */
export type PeerLink = {
  /**
   * Connects, then calls `onWake` with the payload of each notification, and with null once a second and after each
   * reconnection. Resolves after the first attempt to connect.
   */
  start(onWake: (payload: string | null) => void): Promise<void>
  /** Sends a notification to the other processes. While one is being sent, only the newest payload is kept. */
  notify(payload: string): void
  /** Returns true if no other process used the database when this one connected for the first time. */
  wasAlone(): boolean
  /** Returns true in at most one process: the one that runs scheduled work. */
  isLeader(): boolean
  close(): Promise<void>
}
