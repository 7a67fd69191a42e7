import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

/**
 * Java's HTTP client offers HTTP/2 with every request on a plain connection; existing SDKs do not disable
 * that.
 */
setUpService()

const offer =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n'

/** Sends bytes in the given pieces over one connection and returns everything received until it ends. */
function exchange(...pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.setEncoding('utf8').on('data', (text) => {
      received += text
    })
    socket.on('end', () => resolve(received)).on('error', reject)
    const [first = '', ...rest] = pieces
    socket.write(first, () => {
      // Sends each piece after the previous one has left this process.
      const next = () => {
        const piece = rest.shift()
        if (piece !== undefined) setImmediate(() => socket.write(piece, next))
      }
      next()
    })
  })
}

const headers = (more = '') => `Host: ${new URL(server.url).host}\r\n${more}`

it('replies to a GET that offers h2c as if it did not', async () => {
  const reply = await exchange(
    `GET /health HTTP/1.1\r\n${headers(offer)}\r\n`,
    `GET /health HTTP/1.1\r\n${headers('Connection: close\r\n')}\r\n`,
  )
  expect(reply.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  expect(reply).not.toContain('HTTP/1.1 101')
})

it.each([
  ['together with the head', (head: string, body: string) => [head + body]],
  ['after the head', (head: string, body: string) => [head, body]],
  ['in pieces', (head: string, body: string) => [head + body.slice(0, 9), body.slice(9, 20), body.slice(20)]],
])('reads the body of a POST that offers h2c, sent %s', async (_name, split) => {
  const body = JSON.stringify({ username: 'admin', password: 'admin' })
  const head = `POST /api/login HTTP/1.1\r\n${headers(offer)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const reply = await exchange(
    ...split(head, body),
    `GET /health HTTP/1.1\r\n${headers('Connection: close\r\n')}\r\n`,
  )
  expect(reply).toContain('"token_type":"Bearer"')
  expect(reply.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
})

it('still checks the Host of a request that offers h2c', async () => {
  const reply = await exchange(
    `GET /health HTTP/1.1\r\nHost: evil.example\r\n${offer}\r\n`,
    `GET /health HTTP/1.1\r\n${headers('Connection: close\r\n')}\r\n`,
  )
  expect(reply).toMatch(/^HTTP\/1\.1 421 /)
})
