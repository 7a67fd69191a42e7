import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listen } from '../../support/http/loopback.ts'

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
type Plan = { readonly status: number; readonly headers?: Record<string, string> }

/** Starts a collector. It replies as planned, else with 200. */
export async function startCollector() {
  const received: Received[] = []
  const plans: Plan[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      received.push({ path: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks) })
      const { status, headers } = plans.shift() ?? { status: 200 }
      res.writeHead(status, headers).end()
      server.emit('received')
    })
  })
  return {
    ...(await listen(server)),
    received,
    plans,
    /** Resolves when that many requests have arrived in all. */
    async atLeast(count: number) {
      while (received.length < count) await once(server, 'received')
    },
  }
}
