/**
 * A provider with the protocol of OpenAI. The model decides what it streams: `paced` 10 to 30 events with pauses of 10 to 30 ms;
 * `short` 10 events without a pause; `large` 50 MB.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { announce } from './replies.ts'

const event = (id: string, data: object): string => `data: ${JSON.stringify({ id, ...data })}\n\n`
const piece = (id: string, content: string): string =>
  event(id, { object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content } }] })
const usage = { prompt_tokens: 5, completion_tokens: 20, total_tokens: 25 }
const largeBytes = 50_000_000

/** Lengths and pauses differ, so that streams are not in step. */
async function sendPaced(res: ServerResponse, id: string): Promise<void> {
  const word = piece(id, 'word ')
  for (let left = 10 + Math.floor(Math.random() * 21); left > 0; left -= 1) {
    res.write(word)
    await pause(10 + Math.random() * 20)
  }
}

async function sendShort(res: ServerResponse, id: string): Promise<void> {
  const word = piece(id, 'word ')
  for (let left = 10; left > 0; left -= 1) res.write(word)
}

async function sendLarge(res: ServerResponse, id: string): Promise<void> {
  const page = piece(id, 'word '.repeat(1000))
  for (let sent = 0; sent < largeBytes; sent += page.length) if (!res.write(page)) await once(res, 'drain')
}

const senders = new Map([
  ['paced', sendPaced],
  ['short', sendShort],
  ['large', sendLarge],
])

const server = createServer(async (req, res) => {
  // The service checks the provider by listing its models.
  if (req.method === 'GET') {
    const data = [...senders.keys()].map((id) => ({ id, object: 'model' }))
    return void res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data }))
  }
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const { model }: { model: string } = JSON.parse(Buffer.concat(chunks).toString())
  const send = senders.get(model)
  if (send === undefined) return void res.writeHead(404).end()
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  // Unique, as in replies of providers: the service looks for other runs of the same reply.
  const id = `chatcmpl-${randomUUID()}`
  await send(res, id)
  res.end(event(id, { choices: [], usage }))
})
server.listen(0, '127.0.0.1', () => announce(server))
