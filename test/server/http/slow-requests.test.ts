import { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { createReplyLimiter } from '../../../server/http/limits/reply-limiter.ts'
import { createHttpServer, defaultTimeouts } from '../../../server/http/server.ts'
import { readBody } from '../../../server/http/steps/input.ts'
import { createLogger } from '../../../server/lib/logger.ts'

it('a request must arrive within 35 s, and its head within 15 s', () => {
  const { headersTimeout = 0, requestTimeout = 0, connectionsCheckingInterval = 0 } = defaultTimeouts
  expect(headersTimeout + connectionsCheckingInterval).toBeLessThanOrEqual(15_000)
  expect(requestTimeout + connectionsCheckingInterval).toBeLessThanOrEqual(35_000)
  expect(headersTimeout).toBeGreaterThan(0)
})

it.each([
  ['in its head', 'GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
  [
    'in its body',
    'POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
  ],
])('a request that is sent byte by byte is aborted %s', async (_, head) => {
  const server = createHttpServer({
    handle: async (req, res) => {
      await readBody(req, { permission: 'public' }).catch(() => undefined)
      res.end()
    },
    messageClasses: { IncomingMessage, ServerResponse },
    replyLimiter: createReplyLimiter({ replies: 2, stallMs: 60_000 }),
    basePath: '',
    logger: createLogger({ logLevel: 'silent' }),
    timeouts: { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => peer.on('close', () => resolve()))
  peer.on('error', () => undefined)
  peer.resume().write(head)
  const drip = setInterval(() => peer.writable && peer.write('x'), 20)
  await closed
  clearInterval(drip)
  await new Promise((resolve) => server.close(resolve))
})
