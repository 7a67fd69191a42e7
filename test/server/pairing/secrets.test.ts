import { pino } from 'pino'
import { expect, it } from 'vitest'
import { startLanServer } from '../../support/lan/listener.ts'
import { answer, askWith, openWindow, password, stateOf } from './pairing-support.ts'

it('secrets of a pairing are in no log, audit entry, list or metric', async () => {
  const logged: string[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const server = await startLanServer({ substitutes: { logger } })
  const { code, secret } = await openWindow(server)
  await askWith(server, { code: 'ZZZZZZZZ' })
  const { body } = await askWith(server, { secret })
  await answer(server, body.request_id, 'approve')
  const { body: admitted } = await stateOf(server, body)
  const headers = { 'promptdeck-device': admitted.device_token }
  await server.lan('POST /api/login', { headers, body: { username: 'newcomer', password } })
  const secrets = [code, secret, body.request_secret, admitted.token, admitted.device_token, password]
  const routes = [
    'audit/export?format=jsonl',
    'pairing',
    'pairing/requests',
    'devices',
    'clients',
    'me/sessions',
  ]
  const replies = await Promise.all([
    ...routes.map((route) => server.call(`GET /api/${route}`)),
    server.call('GET /metrics'),
  ])
  const texts = [...logged, ...replies.map(({ text }) => text)]
  expect(logged.length).toBeGreaterThan(0)
  expect(secrets.every((text) => typeof text === 'string' && text.length >= 8)).toBe(true)
  for (const text of texts) for (const hidden of secrets) expect(text).not.toContain(hidden)
  await server.close()
})
