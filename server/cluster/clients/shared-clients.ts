import type { Db } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RemoteClients } from '../../resources/connected-client.ts'
import { createClientMirror } from './client-mirror.ts'
import { createClientPublisher } from './client-publisher.ts'

export type SharedClientsDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly instanceId: string
  readonly isLeader: () => boolean
  readonly onChange: (workspaceIds: readonly string[] | null) => void
  readonly onError: (error: unknown) => void
}

/** The client lists of all instances, in the database. */
export type SharedClients = RemoteClients & {
  start(): Promise<void>
  /** Reads the changes of other instances. */
  read(): Promise<void>
  close(): Promise<void>
}

export function createSharedClients(deps: SharedClientsDeps): SharedClients {
  const publisher = createClientPublisher(deps)
  const mirror = createClientMirror(deps)
  return {
    list: mirror.list,
    changed: publisher.changed,
    read: () => mirror.read().catch(deps.onError),
    start: publisher.start,
    async close() {
      await mirror.close().catch(deps.onError)
      await publisher.close()
    },
  }
}
