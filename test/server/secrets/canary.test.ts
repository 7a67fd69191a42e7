import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerNames } from '../../../contract/models/models.ts'
import { type Loopback, listen } from '../../support/http/loopback.ts'
import { openSocket } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { storedCopy } from '../../support/store.ts'

const providersWithKey = providerNames.filter((name) => name !== 'mock')
/** Long enough that no part occurs by chance; the last four characters may be shown. */
const canaryOf = (name: string) => `canary-${Buffer.from(name).toString('hex')}-Zx81qVw3Kk0pLm7T-hint`
const canaries = providersWithKey.map(canaryOf)

/** All forms of each key in bytes, without its end, which may be shown: plain and encoded. */
const encodings = canaries.flatMap((key) => {
  const body = key.slice(0, -5)
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${'x'.repeat(shift)}${body}`).toString('base64')
    // Without the parts that depend on adjacent bytes.
    return text.slice(4, -4)
  })
  const reversed = [...body].toReversed().join('')
  const wide = Buffer.from(body, 'utf16le').toString('latin1')
  return [body, Buffer.from(body).toString('hex'), ...base64, reversed, wide]
})
const leaksIn = (bytes: Buffer | string): string[] => {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  return encodings.filter((encoding) => text.includes(encoding))
}

let server: TestServer
let echo: Loopback
const logged: string[] = []
const frames: string[] = []
const replies: { what: string; text: string; headers: string }[] = []

const call = async (what: string, options: Parameters<TestServer['call']>[1] = {}) => {
  const reply = await server.call(what, options)
  replies.push({ what, text: reply.text, headers: JSON.stringify([...reply.headers]) })
  return reply
}

beforeAll(async () => {
  // A provider that repeats everything it was sent.
  const repeating = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    const sent = JSON.stringify({ headers: req.headers, url: req.url, body })
    const key = String(req.headers.authorization ?? req.headers['x-api-key'] ?? req.headers['x-goog-api-key'])
    res.writeHead(key.includes('canary') ? 401 : 400, { 'content-type': 'application/json', 'x-echo': key })
    res.end(
      JSON.stringify({
        error: {
          type: `bad ${key}`,
          code: key,
          status: key,
          message: `Incorrect API key provided: ${key}. ${sent}`,
        },
        message: key,
      }),
    )
  })
  echo = await listen(repeating)
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  server = await startTestServer({ substitutes: { logger, store: { snapshotAtClose: true } } })
  const socket = await openSocket(server)
  socket.on('message', (data) => void frames.push(String(data)))
})
afterAll(async () => {
  await server.close()
  await echo.close()
})

/** Reads all files of the data folder; all of them again if the service renamed one meanwhile. */
const filesOf = async (): Promise<{ path: string; bytes: Buffer }[]> => {
  const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(files.map((path) => readFile(path).catch(ignoreMissing)))
  const found = contents.flatMap((bytes, index) =>
    bytes === null ? [] : [{ path: files[index] ?? '', bytes }],
  )
  return found.length === files.length ? found : filesOf()
}
const ignoreMissing = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null
  throw error
}
const expectNoKeyInFiles = async () => {
  const files = await filesOf()
  expect(files.length).toBeGreaterThan(2)
  for (const { path, bytes } of files) expect(leaksIn(bytes), path).toEqual([])
}

describe('a key', () => {
  it('is detected by this test in every possible place', () => {
    const [key = ''] = canaries
    for (const bytes of [
      `Bearer ${key}`,
      Buffer.from(`{"api_key":"${key}"}`).toString('base64'),
      Buffer.from(`xx${key}`).toString('hex'),
      Buffer.from(key, 'utf16le'),
    ]) {
      expect(leaksIn(bytes).length).toBeGreaterThan(0)
    }
    expect(leaksIn('nothing-hint')).toEqual([])
  })

  it('is set, replaced, tested, mistyped and deleted without being repeated', async () => {
    for (const name of providersWithKey) {
      const body = { base_url: echo.url, local: true, api_key: 'before-it' }
      expect((await call(`PUT /api/providers/${name}`, { body })).status).toBe(200)
      const key = canaryOf(name)
      expect((await call(`PUT /api/providers/${name}`, { body: { api_key: key } })).body.data.key_hint).toBe(
        'hint',
      )
      expect((await call(`POST /api/providers/${name}/test`)).body.data).toMatchObject({
        ok: false,
        status: 401,
      })
      for (const wrong of [
        { body: { api_key: `${key} ${key}` } },
        { body: { api_key: [key] } },
        { body: { [key]: 1 } },
        { body: { api_key: key, models: 7 } },
        { body: { base_url: `https://user:${key}@example.com/`, api_key: key } },
        { body: { base_url: `https://example.com/?key=${key}` } },
        { raw: `{"api_key":"${key}"` },
        { body: { api_key: key }, token: key },
      ]) {
        const reply = await call(`PUT /api/providers/${name}`, wrong)
        expect(reply.status).toBeGreaterThanOrEqual(400)
      }
      await call(`POST /api/providers/${name}/test`, { body: { api_key: key } })
      await call('POST /api/playground/run', {
        body: { content: 'Hi', provider: name, model: 'any', api_key: key, base_url: key },
      })
    }
    // Unknown field names may be repeated: they are the sender's own text.
    for (const reply of replies) {
      const isOwnFieldName = reply.text.includes('Unknown parameter')
      if (!isOwnFieldName) expect(leaksIn(reply.text), `${reply.what} ${reply.text}`).toEqual([])
      expect(leaksIn(reply.headers), reply.what).toEqual([])
    }
    replies.length = 0
  })

  it("is not in a failed call, regardless of the provider's reply", async () => {
    for (const name of providersWithKey) {
      for (const stream of [false, true]) {
        const reply = await call('POST /api/playground/run', {
          body: { content: 'Hi {{who}}', variables: { who: 'you' }, provider: name, model: 'any', stream },
        })
        expect(stream ? [200, 502] : [502]).toContain(reply.status)
      }
    }
  })

  it('is in no reply of the service', async () => {
    const list = async (path: string): Promise<{ id: string }[]> => (await call(`GET ${path}`)).body.data
    for (const path of [
      '/api/providers',
      '/api/playground/providers',
      '/api/settings',
      '/api/clients',
      '/api/me',
      '/api/runs/stats',
      '/api/runs/export?format=csv',
      '/api/runs/export?format=jsonl',
      '/api/audit/export?format=csv',
      '/api/audit/export?format=jsonl',
      '/api/prompts/export',
      '/metrics',
      '/openapi.json',
      '/health',
      '/docs',
    ]) {
      await call(`GET ${path}`)
    }
    for (const name of providersWithKey) await call(`GET /api/providers/${name}`)
    const entries = await list('/api/audit?limit=200')
    expect(entries.length).toBeGreaterThanOrEqual(providersWithKey.length * 2)
    for (const { id } of entries) await call(`GET /api/audit/${id}`)
    for (const { id } of await list('/api/runs?limit=200')) await call(`GET /api/runs/${id}`)
    for (const { what, text, headers } of replies) expect(leaksIn(text + headers), what).toEqual([])
  })

  it('is in no live frame and no log line', () => {
    expect(frames.some((frame) => frame.includes('"provider"'))).toBe(true)
    expect(leaksIn(frames.join('\n'))).toEqual([])
    expect(logged.length).toBeGreaterThan(20)
    expect(leaksIn(logged.join('\n'))).toEqual([])
  })

  it('is in no file: journal, snapshot, backup, or leftovers of a deletion', async () => {
    await expectNoKeyInFiles()
    expect(leaksIn(await storedCopy(server))).toEqual([])
    await expectNoKeyInFiles()
    await server.restart()
    await expectNoKeyInFiles()
    // The key was stored until here.
    expect((await server.call('GET /api/providers/openai')).body.data).toMatchObject({ has_key: true })
    for (const name of providersWithKey) await server.call(`DELETE /api/providers/${name}`)
    await server.stop()
    await expectNoKeyInFiles()
    expect(leaksIn(logged.join('\n'))).toEqual([])
  })

  it('cannot be decrypted with the store of a backup alone', async () => {
    const files = await filesOf()
    const keys = files.find(({ path }) => path.endsWith('providers.key'))
    const [secret = ''] = keys?.bytes.toString().split(' ') ?? []
    expect(secret).toHaveLength(64)
    const raw = Buffer.from(secret, 'hex').toString('latin1')
    for (const { path, bytes } of files.filter((file) => file !== keys)) {
      const text = bytes.toString('latin1')
      expect([text.includes(secret), text.includes(raw)], path).toEqual([false, false])
    }
  })
})
