import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { createOutboundFetch } from '../../../server/outbound/fetch.ts'

export const servers: Server[] = []

/** Starts a local server on a free port; returns the requests it received. */
export async function serve(handle: RequestListener, host = '127.0.0.1') {
  const seen: { req: IncomingMessage; body: string }[] = []
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    seen.push({ req, body })
    handle(req, res)
  })
  servers.push(server.listen(0, host))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, seen, url: `http://127.0.0.1:${port}` }
}

export const local = createOutboundFetch({ isLocal: true })

/** Closes the servers of each test of the calling file after it. */
export function closeServersAfterEach(): void {
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
}
