import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of a test on a free port of 127.0.0.1. */
export type Loopback = {
  readonly port: number
  readonly url: string
  /** Stops the server and ends its open connections. */
  close(): Promise<void>
}

/** Makes a server listen on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<Loopback> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
