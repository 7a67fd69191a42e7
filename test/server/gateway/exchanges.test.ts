import { readdir, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../support/model-server/scripted.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { casesOf, type ExchangeCase } from './exchange-cases.ts'
import { providerKey } from './gateway-support.ts'
import { families, secretText } from './shapes.ts'

// Every exchange is compared byte by byte with what the provider sent, and with its run.

let server: TestServer
let double: ScriptedServer
let token = ''
const agent = new Agent({ keepAlive: true, maxSockets: 20 })

beforeAll(async () => {
  double = await startScriptedServer()
  server = await startTestServer()
  const bases: Record<string, string> = { openai: '/v1', claude: '/v1', gemini: '/v1beta', ollama: '' }
  for (const [name, base] of Object.entries(bases)) {
    const body = { base_url: `${double.url}${base}`, local: true, concurrency: 64, api_key: providerKey }
    await server.call(`PATCH /api/providers/${name}`, { body })
  }
  const created = await server.call('POST /api/tokens', { body: { name: 'exchanges', gateway: true } })
  token = created.body.data.token
})
afterAll(async () => {
  agent.destroy()
  await server.close()
  await double.close()
})

type Received = {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly callId: string
}

function send({ name, path, body }: ExchangeCase): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-case': name,
      'x-client-header': 'kept',
      cookie: 'session=1',
      'promptdeck-session': 'chat-1',
    }
    const req = request(`${server.url}${path}`, { method: 'POST', headers, agent }, (res) => {
      const parts: Buffer[] = []
      res.on('data', (part: Buffer) => parts.push(part))
      res.on('error', reject)
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          rawHeaders: res.rawHeaders,
          body: Buffer.concat(parts),
          callId: String(res.headers['promptdeck-run-id']),
        }),
      )
    })
    req.on('error', reject)
    req.end(body)
  })
}

const ownHeaders = new Set(['promptdeck-run-id', 'connection', 'keep-alive', 'transfer-encoding'])

/** Returns the headers that the provider sent, as they arrived. */
function passedHeaders(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2)
    if (!ownHeaders.has(raw[at]?.toLowerCase() ?? '')) kept.push(raw[at] ?? '', raw[at + 1] ?? '')
  return kept
}

/** Calls `work` for each item, 20 at a time. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 20 }, worker))
}

/** Replaces `{ beginning }` by a matcher. */
const expectedOf = (expected: ExchangeCase['expected']) =>
  Object.fromEntries(
    Object.entries(expected).map(([field, value]) => [
      field,
      typeof value === 'object' && value !== null && 'beginning' in value
        ? expect.stringMatching(`^${String(value.beginning)}`)
        : value,
    ]),
  )

async function everyRun(query: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await server.call(`GET /api/runs?limit=200&${query}${more}`)
    rows.push(...body.data)
    cursor = body.next_cursor
  }
  return rows
}

describe.each(Object.keys(families))('the protocol %s', (family) => {
  const provider = families[family]?.provider ?? ''
  const cases = casesOf(family)

  it('has at least 200 exchanges, each as the provider sent it and with one run', async () => {
    expect(cases.length).toBeGreaterThanOrEqual(200)
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
    for (const { name, script } of cases) double.reply(name, script)
    const received = new Map<string, Received>()
    await eachOf(cases, async (each) => {
      received.set(each.name, await send(each))
    })
    for (const { name, script, body } of cases) {
      const { status, rawHeaders, body: bytes } = received.get(name) ?? { rawHeaders: [] }
      expect(status, name).toBe(script.status)
      expect(passedHeaders(rawHeaders), name).toEqual(script.headers)
      expect(bytes?.equals(Buffer.concat(script.chunks)), name).toBe(true)
      expect(double.arrived.get(name)?.body.toString(), name).toBe(body)
    }
    await vi.waitFor(async () => {
      const { body } = await server.call(`GET /api/runs?provider=${provider}&limit=1`)
      expect(body.total).toBe(cases.length)
    }, 10_000)
    await eachOf(cases, async ({ name, expected }) => {
      const { body } = await server.call(`GET /api/runs/${received.get(name)?.callId}`)
      expect(body.data, name).toMatchObject({
        source: 'gateway',
        provider,
        token: 'exchanges',
        app: 'exchanges',
        session_id: 'chat-1',
        reported: false,
        ...expectedOf(expected),
      })
    })
  }, 60_000)

  it('has statistics that equal the rows', async () => {
    const rows = await everyRun(`provider=${provider}`)
    const { body } = await server.call(`GET /api/runs/stats?provider=${provider}`)
    const sum = (field: string) => rows.reduce((total, row) => total + Number(row[field] ?? 0), 0)
    expect(body.data).toMatchObject({
      total: cases.length,
      ok: rows.filter(({ status }) => status === 'ok').length,
      error: rows.filter(({ status }) => status === 'error').length,
      prompt_tokens: sum('prompt_tokens'),
      output_tokens: sum('output_tokens'),
      total_tokens: sum('total_tokens'),
    })
  })

  it('replaces authentication and address, and nothing else', () => {
    const [first] = cases
    const { rawHeaders = [], method, url } = double.arrived.get(first?.name ?? '') ?? {}
    const headers = new Map<string, string>()
    for (let at = 0; at < rawHeaders.length; at += 2)
      headers.set(rawHeaders[at]?.toLowerCase() ?? '', rawHeaders[at + 1] ?? '')
    expect(method).toBe('POST')
    expect(url).toBe(first?.path.replace(/^\/gateway\/\w+/, ''))
    expect(Object.fromEntries(headers)).toMatchObject({
      host: new URL(double.url).host,
      'x-client-header': 'kept',
      'content-length': String(Buffer.byteLength(first?.body ?? '')),
    })
    expect([...headers.keys()].filter((name) => /^promptdeck|cookie/.test(name))).toEqual([])
    expect([...headers.values()].join(' ')).toContain(providerKey)
    expect([...headers.values()].join(' ')).not.toContain(token)
  })
})

describe('secrets', () => {
  it('are in no file of the data folder: neither the keys and tokens, nor text of prompts', async () => {
    await server.stop()
    const files = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map(async (file) => (await readFile(join(file.parentPath, file.name))).toString('latin1')),
    )
    for (const secret of [providerKey, token, secretText])
      expect(texts.filter((text) => text.includes(secret))).toEqual([])
  })
})
