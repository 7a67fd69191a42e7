import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Peer } from '../server/live/live-support.ts'
import { type Cluster, startCluster } from '../support/postgres/cluster.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { serviceToken } from '../support/service.ts'
import { instanceEnv } from './instances.ts'

export type Processes = {
  readonly database: Cluster
  at(index: number): ServiceProcess
  /** Sends a request with the service token. Rejects if the process does not answer. */
  call(
    index: number,
    what: string,
    body?: unknown,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>
  /** Opens a live connection to a process and waits for its hello. */
  open(index: number, query: string, since?: number): Promise<Peer>
  close(): Promise<void>
}

/** Starts several processes of the service on one database, as they run behind a load balancer. */
export async function startProcesses(count: number): Promise<Processes> {
  // What the service acknowledged must survive the end of PostgreSQL's processes.
  const database = await startCluster({ synchronous_commit: 'on' })
  const root = await mkdtemp(join(tmpdir(), 'promptdeck-processes-'))
  const started: ServiceProcess[] = []
  for (let index = 0; index < count; index += 1)
    started.push(
      await spawnService(
        { ...instanceEnv(database), DATA_DIR: join(root, String(index)) },
        { isFirstStart: index === 0 },
      ),
    )
  const at = (index: number): ServiceProcess => {
    const found = started[index]
    if (found === undefined) throw new Error(`there is no process ${index}`)
    return found
  }
  const peers: Peer[] = []
  const authorization = `Bearer ${serviceToken}`
  return {
    database,
    at,
    async call(index, what, body) {
      const [method = 'GET', path = '/'] = what.split(' ', 2)
      const response = await fetch(at(index).url + path, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    },
    async open(index, query, since) {
      const peer = await connect(`${at(index).url.replace('http', 'ws')}/ws?${query}`, { authorization })
      peers.push(peer)
      peer.send({ type: 'hello', ...(since !== undefined && { since_seq: since }) })
      await peer.next()
      return peer
    },
    async close() {
      for (const { socket } of peers) socket.terminate()
      for (const { child, kill } of started)
        if (child.exitCode === null && child.signalCode === null) await kill()
      await database.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}
