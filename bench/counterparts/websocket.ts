/** A bare WebSocket server (`ws`): sends the body of each POST to all connections. */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { announce } from './replies.ts'

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const frame = Buffer.concat(chunks).toString()
    for (const client of sockets.clients) client.send(frame)
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}')
  })
})
const sockets = new WebSocketServer({ server })
server.listen(0, '127.0.0.1', () => announce(server))
