import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { limitAddresses } from '../../../../server/http/limits/address-limit.ts'
import { createReplyLimiter } from '../../../../server/http/limits/reply-limiter.ts'
import { serviceToken } from '../../../support/service.ts'
import { connect as connectLive, refused } from '../../live/live-support.ts'
import { closeAfterEach, start } from './fairness-support.ts'

closeAfterEach()

describe('connections of an address', () => {
  const opened: Socket[] = []
  const open = (port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', reject)
      opened.push(socket)
    })
  /** Returns all data from the peer until it ends the connection. */
  const textOf = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
    })
  const ask = (socket: Socket) => {
    const text = textOf(socket)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return text
  }
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy()
  })

  it('are refused beyond the limit with an explanation, and counted down when they end', async () => {
    let handled = 0
    const limiter = createReplyLimiter({ replies: 2, stallMs: 60_000 })
    const bareServer = createServer((req, res) =>
      limiter(req, res, () => {
        handled += 1
        res.end('ok')
      }),
    )
    const refusedAddresses: string[] = []
    limitAddresses(bareServer, {
      perAddress: 2,
      isExempt: () => false,
      onRefused: (address) => refusedAddresses.push(address),
    })
    await new Promise<void>((resolve) => bareServer.listen(0, '127.0.0.1', resolve))
    const { port } = bareServer.address() as AddressInfo
    try {
      const [first] = [await open(port), await open(port)]
      const reply = await ask(await open(port))
      expect(reply).toMatch(/^HTTP\/1\.1 429 .*retry-after: 5\r\n.*"code":"rate_limited"/s)
      expect(reply).toMatch(/^content-security-policy: .*frame-ancestors 'none'/m)
      expect(reply).toMatch(/^x-content-type-options: nosniff/m)
      expect(refusedAddresses).toEqual(['127.0.0.1'])
      expect(handled).toBe(0)
      if (first) expect(await ask(first)).toMatch(/^HTTP\/1\.1 200/)
      expect(await ask(await open(port))).toMatch(/^HTTP\/1\.1 200/)
    } finally {
      for (const socket of opened) socket.destroy()
      await new Promise((resolve) => bareServer.close(resolve))
    }
  })

  it('are not counted on loopback', async () => {
    const service = await start({ CONNECTIONS_PER_ADDRESS: '2' })
    const port = Number(new URL(service.url).port)
    for (let n = 0; n < 5; n += 1) await open(port)
    expect((await service.call('GET /health')).status).toBe(200)
  })
})

describe('live connections', () => {
  it('of a session are limited through the whole service, those of a token are not', async () => {
    const service = await start({ LIVE_CONNECTIONS_PER_SESSION: '2', LIVE_CONNECTIONS: '5' })
    const { token } = await service.signedIn('viewer')
    const url = `${service.url.replace('http', 'ws')}/ws`
    const join = (bearer: string) => connectLive(url, { authorization: `Bearer ${bearer}` })
    const ofSession = [await join(token), await join(token)]
    expect(await refused(join(token))).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    const fleet = [await join(serviceToken), await join(serviceToken), await join(serviceToken)]
    expect(await refused(join(serviceToken))).toMatchObject({ status: 429 })
    for (const peer of [...ofSession, ...fleet]) peer.socket.terminate()
  })
})
