import { once, setMaxListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Loopback, listen } from '../../support/http/loopback.ts'
import { startTestServer } from '../../support/service.ts'
import { inStoreOf } from '../../support/store.ts'

type Entry = { readonly level: number; readonly msg: string; readonly route?: string }

/** A model provider whose replies a test sends. */
const waiting: ServerResponse[] = []
const provider = createServer((_req, res) => {
  waiting.push(res)
  provider.emit('asked')
})
let loopback: Loopback
beforeAll(async () => {
  loopback = await listen(provider)
})
afterAll(() => loopback.close())

/** Resolves when the provider has this number of requests that wait. */
async function asked(count: number): Promise<void> {
  while (waiting.length < count) await once(provider, 'asked')
}

/** Returns a logger, the entries that it wrote, and a promise of a number of entries about a route. */
function createEntries() {
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
  const of = (route: string, count: number) =>
    new Promise<void>((resolve) => {
      noteEntry = () => {
        if (entries.filter((entry) => entry.route === route).length >= count) resolve()
      }
      noteEntry()
    })
  return { logger, entries, of }
}

function expectOneWarning(entries: readonly Entry[]): void {
  const stopped = entries.filter(({ msg }) => /^The service stops/.test(msg))
  expect(stopped.map(({ level }) => level)).toEqual([pino.levels.values['warn']])
  expect(entries.filter(({ level }) => level >= (pino.levels.values['error'] ?? 0))).toEqual([])
}

it('requests that outlive the store of a service that stops are one warning in the log, not an error each', async () => {
  const { logger, entries, of } = createEntries()
  const server = await startTestServer({ substitutes: { logger } })
  const base_url = `${loopback.url}/v1`
  const names = ['openai', 'claude', 'gemini']
  for (const name of names) {
    const body = { base_url, local: true, api_key: 'sk-of-a-service-that-stops' }
    expect((await server.call(`PUT /api/providers/${name}`, { body })).status).toBe(200)
  }
  const replies = names.map((name) => server.call(`POST /api/providers/${name}/test`).catch(() => null))
  await asked(names.length)
  await server.close()
  expect(await Promise.all(replies)).toEqual(names.map(() => null))

  for (const res of waiting) res.end(JSON.stringify({ data: [{ id: 'small' }] }))
  await of('/api/providers/:name/test', names.length)
  expectOneWarning(entries)
})

it('so are sign-ins whose passwords are still compared', async () => {
  const { logger, entries, of } = createEntries()
  const server = await startTestServer({ substitutes: { logger } })
  const { username, password } = await server.signedIn('viewer')
  await server.stop()
  // Comparing with this hash takes hours.
  const password_hash = `$2b$30$${'.'.repeat(21)}u${'.'.repeat(31)}`
  await inStoreOf(server, async (q) => {
    await q.updateTable('users').set({ password_hash }).where('username', '=', username).execute()
  })
  await server.restart()
  const disconnect = new AbortController()
  setMaxListeners(65, disconnect.signal)
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
    signal: disconnect.signal,
  }
  const signIn = () => fetch(`${server.url}/api/login`, request).then(({ status }) => status)
  // 64 of one address may be in progress, so the others have arrived when one is rejected.
  const replies = Array.from({ length: 65 }, () => signIn().catch(() => null))
  expect(await Promise.race(replies)).toBe(429)
  entries.length = 0
  disconnect.abort()
  await server.close()
  await of('/api/login', 64)
  expectOneWarning(entries)
})
