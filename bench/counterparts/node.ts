/** A bare server of `node:http`, which sends prepared bytes and stores nothing. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { announce, onReplies } from './replies.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => void
const handlers = new Map<string, Handler>()

function sender(status: number, body: string) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return (res: ServerResponse) => void res.writeHead(status, headers).end(body)
}

onReplies(({ reads, writes }) => {
  for (const { path, body } of reads) {
    const reply = sender(200, body)
    handlers.set(`GET ${path}`, (_req, res) => reply(res))
  }
  for (const { path, body } of writes) {
    const reply = sender(201, body)
    handlers.set(`POST ${path}`, (req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        JSON.parse(Buffer.concat(chunks).toString())
        reply(res)
      })
    })
  }
})
const server = createServer((req, res) => {
  const handler = handlers.get(`${req.method} ${req.url?.split('?', 1)[0]}`)
  if (handler === undefined) res.writeHead(404).end()
  else handler(req, res)
})
server.listen(0, '127.0.0.1', () => announce(server))
