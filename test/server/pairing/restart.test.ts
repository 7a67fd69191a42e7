import { expect, it } from 'vitest'
import { startLanServer } from '../../support/lan/listener.ts'
import { asked, askWith, openWindow, stateOf } from './pairing-support.ts'

it('a restart closes windows, which is recorded, and deletes requests', async () => {
  const server = await startLanServer()
  const { code } = await openWindow(server)
  const request = await asked(server, { username: 'gone', name: 'Gone' })
  const { code: second } = await openWindow(server)
  await server.restart()
  expect((await server.call('GET /api/pairing')).body).toEqual({ data: null })
  expect((await stateOf(server, request)).status).toBe(404)
  for (const used of [code, second]) {
    const reply = await askWith(server, { code: used })
    expect({ status: reply.status, code: reply.body.code }).toEqual({
      status: 401,
      code: 'pairing.wrong_code',
    })
  }
  const { body } = await server.call('GET /api/audit?resource=pairing&limit=10')
  const summaries = body.data.map(({ summary }: { summary: string }) => summary)
  expect(summaries).toContain('The pairing window of service-token was closed, because the service stopped')
  await server.close()
})
