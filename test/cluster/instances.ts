import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Peer } from '../server/live/live-support.ts'
import { type Cluster, startCluster } from '../support/postgres/cluster.ts'
import { serviceToken, startTestServer, type TestServer, type TestServerOptions } from '../support/service.ts'

export type Instances = {
  readonly database: Cluster
  readonly servers: readonly TestServer[]
  /** Opens a live connection to an instance and waits for its hello. */
  open(index: number, query: string, options?: { token?: string; since?: number }): Promise<Peer>
  close(): Promise<void>
}

/** Returns the environment of an instance that uses the database. */
export const instanceEnv = (database: Pick<Cluster, 'urlOf'>) => ({
  DATABASE_URL: database.urlOf('postgres'),
  DATABASE_CONNECTIONS: '4',
  KEYS_SECRET: 'a secret of all instances, 32 characters or more',
})

/** Starts several instances on one database. The first one creates the keys and stores them sealed in the database. */
export async function startInstances(
  count: number,
  options: Pick<TestServerOptions, 'env' | 'substitutes'> = {},
): Promise<Instances> {
  const database = await startCluster()
  const root = await mkdtemp(join(tmpdir(), 'promptdeck-instances-'))
  const servers: TestServer[] = []
  const env = { ...instanceEnv(database), ...options.env }
  for (let index = 0; index < count; index += 1) {
    const dataDir = join(root, String(index))
    servers.push(await startTestServer({ ...options, dataDir, env }))
  }
  const peers: Peer[] = []
  return {
    database,
    servers,
    async open(index, query, { token = serviceToken, since } = {}) {
      const server = serverAt(servers, index)
      const peer = await connect(`${server.url.replace('http', 'ws')}/ws?${query}`, {
        authorization: `Bearer ${token}`,
      })
      peers.push(peer)
      peer.send({ type: 'hello', ...(since !== undefined && { since_seq: since }) })
      await peer.next()
      return peer
    },
    async close() {
      for (const { socket } of peers) socket.terminate()
      for (const server of servers) await server.close()
      await database.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

export function serverAt(servers: readonly TestServer[], index: number): TestServer {
  const server = servers[index]
  if (server === undefined) throw new Error(`there is no instance ${index}`)
  return server
}
