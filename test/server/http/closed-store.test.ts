import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer } from '../../support/service.ts'

type Entry = { readonly level: number; readonly msg: string; readonly route?: string }

/** A model provider whose replies a test sends. */
const waiting: ServerResponse[] = []
const provider = createServer((_req, res) => {
  waiting.push(res)
  provider.emit('asked')
})
beforeAll(async () => {
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
})
afterAll(async () => {
  provider.closeAllConnections()
  await new Promise((done) => provider.close(done))
})

/** Resolves when the provider has this number of requests that wait. */
async function asked(count: number): Promise<void> {
  while (waiting.length < count) await once(provider, 'asked')
}

it('requests that outlive the store of a service that stops are one warning in the log, not an error each', async () => {
  const entries: Entry[] = []
  let noteEntry = () => {}
  const logger = pino(
    { level: 'debug' },
    {
      write(line: string) {
        entries.push(JSON.parse(line))
        noteEntry()
      },
    },
  )
  const server = await startTestServer({ substitutes: { logger } })
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  const names = ['openai', 'claude', 'gemini']
  for (const name of names) {
    const body = { base_url, local: true, api_key: 'sk-of-a-service-that-stops' }
    expect((await server.call(`PUT /api/providers/${name}`, { body })).status).toBe(200)
  }
  const replies = names.map((name) => server.call(`POST /api/providers/${name}/test`).catch(() => null))
  await asked(names.length)
  await server.close()
  expect(await Promise.all(replies)).toEqual(names.map(() => null))

  const outlived = () => entries.filter(({ route }) => route === '/api/providers/:name/test')
  const ended = new Promise<void>((resolve) => {
    noteEntry = () => {
      if (outlived().length === names.length) resolve()
    }
  })
  for (const res of waiting) res.end(JSON.stringify({ data: [{ id: 'small' }] }))
  await ended
  const closed = entries.filter(({ msg }) => /store (?:is|was) closed/.test(msg))
  expect(closed.map(({ level }) => level)).toEqual([pino.levels.values['warn']])
  expect(entries.filter(({ level }) => level >= (pino.levels.values['error'] ?? 0))).toEqual([])
})
