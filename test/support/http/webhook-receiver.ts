import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listen } from './loopback.ts'

export type Delivery = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: ReturnType<typeof JSON.parse>
}

export type Receiver = {
  readonly url: string
  readonly deliveries: Delivery[]
  /** The status of the next replies; 204 by default. */
  reply: { status: number; headers?: Record<string, string> }
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    req.on('end', () => {
      const { method = '', url = '', headers } = req
      deliveries.push({ method, path: url, headers, text, body: JSON.parse(text) })
      res.writeHead(receiver.reply.status, receiver.reply.headers).end()
    })
  })
  const receiver: Receiver = { ...(await listen(server)), deliveries, reply: { status: 204 } }
  return receiver
}
