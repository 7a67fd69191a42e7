import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close()
})

const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname, () => resolve(socket)).on('error', reject)
    sockets.push(socket)
  })

const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${serviceToken}\r\n\r\n`

const heavy = '/api/prompts?limit=200'

/** Enlarges the list of prompts to some 2 MB. Returns the size of the reply. */
async function fill(): Promise<number> {
  const content = 'x'.repeat(50_000)
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      server.call('POST /api/prompts', { body: { key: `big/${n}`, name: 'n', content, env: 'prod' } }),
    ),
  )
  return (await server.call(`GET ${heavy}`)).text.length
}

/** Returns the number of large replies so far, and the memory of the process. */
async function measure() {
  const { text } = await server.call('GET /metrics')
  const count =
    /^promptdeck_http_requests_total\{method="GET",route="\/api\/prompts",status="200"\} (\d+)/m.exec(text)
  const bytes = /^promptdeck_process_resident_memory_bytes (\d+)/m.exec(text)
  return { replies: Number(count?.[1] ?? 0), bytes: Number(bytes?.[1]) }
}

/** Resolves when the service creates no further large replies during several ordinary requests. */
async function idle(): Promise<void> {
  for (let before = -1, same = 0; same < 5; ) {
    await server.call('GET /api/workspaces')
    const { replies } = await measure()
    same = replies === before ? same + 1 : 0
    before = replies
  }
}

/** Resolves after that many bytes of replies; rejects if the connection ends before. */
function readBytes(socket: Socket, count: number): Promise<void> {
  let received = 0
  return new Promise((resolve, reject) => {
    socket.on('close', () => reject(new Error(`closed after ${received} of ${count} bytes`)))
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received >= count) resolve()
    })
    socket.resume()
  })
}

describe('unread replies', () => {
  it('are not created in advance: memory is constant, others are served, and every reply arrives once it is read', {
    timeout: 120_000,
  }, async () => {
    const [connections, perConnection] = [12, 20]
    server = await startTestServer()
    const size = await fill()
    expect(size).toBeGreaterThan(2_000_000)
    await idle()
    const before = await measure()
    const peers = await Promise.all(Array.from({ length: connections }, open))
    for (const peer of peers) peer.pause().write(get(heavy).repeat(perConnection))
    await idle()
    const after = await measure()
    // Two at a time, plus the content of the system's buffers.
    const replies = after.replies - before.replies
    expect(replies).toBeGreaterThanOrEqual(connections)
    expect(replies).toBeLessThanOrEqual(connections * 6)
    const totalBytes = connections * perConnection * size
    expect((after.bytes - before.bytes) / totalBytes).toBeLessThan(0.4)
    await Promise.all(peers.map((peer) => readBytes(peer, perConnection * size)))
    expect((await measure()).replies - before.replies).toBe(connections * perConnection)
  })

  it('end the connection after the time limit: of a list and of a download', async () => {
    server = await startTestServer({ env: { UNREAD_REPLY_SECONDS: '1' } })
    await fill()
    const paths = [heavy]
    // A database has no download of backups.
    if (!isOnPostgres) {
      const { id } = (await server.call('POST /api/backups')).body.data
      paths.push(`/api/backups/${id}/download`)
    }
    const connections = await Promise.all(
      paths.map(async (path) => {
        const stuck = await open()
        stuck.pause().write(get(path).repeat(10))
        return { path, stuck }
      }),
    )
    // Takes longer than a reply may stay unread, and is still served.
    const slow = await server.call('POST /api/playground/run', {
      body: { content: 'x', variables: {}, provider: 'mock', params: { mock: { first_token_ms: 2500 } } },
    })
    expect(slow.status).toBe(200)
    // The content of the system's buffers, and no more.
    for (const { path, stuck } of connections) expect(await repliesUntilClosed(stuck), path).toBeLessThan(10)
  })
})

/** Reads until the service closes the connection. Returns the number of replies. */
async function repliesUntilClosed(socket: Socket): Promise<number> {
  let replies = 0
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('error', () => undefined)
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    replies += chunk.split('HTTP/1.1 200 OK').length - 1
  })
  socket.resume()
  await ended
  return replies
}

describe('pipelined requests', () => {
  it('that are read all get a reply, in order, regardless of their number in one packet', async () => {
    server = await startTestServer()
    const peer = await open()
    const paths = Array.from({ length: 200 }, (_, n) => `/api/nothing-${n}`)
    let text = ''
    const all = new Promise<void>((resolve) => {
      peer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.includes('"instance":"/api/nothing-199"')) resolve()
      })
    })
    peer.write(paths.map(get).join(''))
    await all
    expect([...text.matchAll(/"instance":"([^"]+)"/g)].map(([, path]) => path)).toEqual(paths)
  })

  it('beyond the limit end the connection', async () => {
    server = await startTestServer()
    const peer = await open()
    const closed = new Promise<void>((resolve) => peer.on('close', () => resolve()))
    peer.on('error', () => undefined)
    peer.resume().write(`GET /api/me HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1500))
    await closed
    expect((await server.call('GET /health')).status).toBe(200)
  })
})
