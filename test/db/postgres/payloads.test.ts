import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { migrations } from '../../../server/db/migrations/index.ts'
import { importPayloadFiles } from '../../../server/features/runs/content/stored/import-files.ts'
import { openBucket } from '../../../server/features/runs/payloads/objects/bucket.ts'
import { openSharedFolder } from '../../../server/features/runs/payloads/objects/shared-folder.ts'
import { createPayloads } from '../../../server/features/runs/payloads/payload-files.ts'
import { createStoredPayloads } from '../../../server/features/runs/payloads/stored/stored-payloads.ts'
import { writePayloadFiles } from '../../../server/tools/copy/payloads.ts'
import { startTestServer } from '../../support/service.ts'
import { postgresServer } from './postgres-support.ts'

const postgres = postgresServer()
const root = mkdtempSync(join(tmpdir(), 'promptdeck-payloads-test-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

type Reply = { readonly status?: number; readonly body?: string | Buffer }

/** An S3 service in memory: the requests of the service, with pages of two keys, so that lists continue. */
function startBucket() {
  const objects = new Map<string, Buffer>()
  const read = (key: string, range: string): Reply => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(range) ?? []
    const body = objects.get(key)?.subarray(Number(from), Number(to) + 1)
    return body === undefined
      ? { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
      : { status: 206, body }
  }
  const replyTo = (method: string, url: URL, body: Buffer, range: string): Reply => {
    const key = decodeURIComponent(url.pathname).replace(/^\/deck\/?/, '')
    if (method === 'GET')
      return key === '' ? { body: listOf([...objects.keys()].sort(), url.searchParams) } : read(key, range)
    if (method === 'PUT') objects.set(key, body)
    else for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]*)</g)) objects.delete(name)
    return { body: method === 'PUT' ? '' : '<DeleteResult></DeleteResult>' }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const isSigned = headers.authorization?.startsWith('AWS4-HMAC-SHA256') === true
    const given = new URL(url, 'http://localhost')
    const reply = isSigned
      ? replyTo(method, given, Buffer.concat(chunks), headers.range ?? '')
      : { status: 403 }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/xml' }).end(reply.body)
  })
  return { objects, server }
}

function listOf(keys: readonly string[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const under = keys.filter((key) => key.startsWith(prefix))
  const folders = query.has('delimiter')
    ? [...new Set(under.map((key) => `${prefix}${key.slice(prefix.length).split('/')[0]}/`))]
    : under
  const waiting = folders.filter((name) => name > after)
  const page = waiting.slice(0, 2)
  const entries = page.map((name) =>
    query.has('delimiter')
      ? `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${name}</Key></Contents>`,
  )
  const next =
    waiting.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return `<ListBucketResult>${entries.join('')}${next}</ListBucketResult>`
}

describe('a bucket', () => {
  const bucket = startBucket()
  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
    await new Promise<void>((resolve) => void bucket.server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => bucket.server.close())

  it('stores objects, reads parts, lists days, and removes a day', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
    const { port } = bucket.server.address() as AddressInfo
    const objects = openBucket(`s3://deck/a%20b?endpoint=http://127.0.0.1:${port}`)
    for (const day of [20_000, 20_001, 20_002]) await objects.put(day, 'one', Buffer.from('0123456789'))
    await objects.put(20_000, 'two', Buffer.from('x'))
    await objects.put(20_000, 'three', Buffer.from('x'))
    expect([...bucket.objects.keys()]).toContain('a b/2024-10-04/one')
    expect(await objects.read(20_001, 'one', 2, 3)).toBe('234')
    expect(await objects.read(20_001, 'one', 8, 3)).toBeNull()
    expect(await objects.read(20_001, 'none', 0, 3)).toBeNull()
    expect(await objects.days()).toEqual([20_000, 20_001, 20_002])
    await objects.removeDay(20_000)
    expect(await objects.days()).toEqual([20_001, 20_002])
    objects.close()
  })
})

describe('payloads in a shared folder', () => {
  it('are found, read by another instance, and removed with their words', async () => {
    const folder = join(root, 'shared')
    const env = { DATABASE_URL: await postgres.newDatabase(), PAYLOADS_URL: pathToFileURL(folder).href }
    const first = await startTestServer({ dataDir: join(root, 'first'), env })
    await first.call('PATCH /api/settings', { body: { capture: 'full' } })
    const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' }
    const batch = ['the first needle', 'a needle, second'].map((output) => ({ ...run, output }))
    const ids = (await first.call('POST /api/runs', { body: batch })).body.data
    const search = '/api/runs?content=%22needle%20second%22'
    expect((await first.call(`GET ${search}`)).body).toMatchObject({ total: 1, data: [{ id: ids[1].id }] })
    expect(existsSync(join(root, 'first', 'payloads'))).toBe(false)
    const [day = ''] = readdirSync(folder)
    expect(readdirSync(join(folder, day))).toHaveLength(1)
    expect(await postgres.run(env.DATABASE_URL, 'SELECT 1 FROM payloads WHERE line IS NOT NULL')).toEqual([])
    await first.stop()

    const second = await startTestServer({ dataDir: join(root, 'first'), env })
    const stateOf = async () => (await second.call(`GET /api/runs/${ids[0].id}`)).body.data
    expect(await stateOf()).toMatchObject({ output: 'the first needle', content_state: 'captured' })
    rmSync(join(folder, day), { recursive: true })
    expect(await stateOf()).toMatchObject({ output: null, content_state: 'damaged' })
    expect((await second.call(`GET ${search}`)).body.total).toBe(0)
    await second.stop()
  })
})

describe('removal', () => {
  it('deletes the payloads, words and objects of a day past retention', async () => {
    const { db } = await postgres.open({ migrations })
    const objects = await openSharedFolder(pathToFileURL(join(root, 'removal')).href)
    const payloads = createStoredPayloads({
      db,
      limits: () => ({ days: 7, totalBytes: 10_000, payloadBytes: 1000 }),
      termsOf: () => ['word'],
      objects,
      ensureImported: async () => {},
      onError: (error) => {
        throw error
      },
    })
    const now = new Date('2026-11-25T12:00:00Z')
    const payload = { owner: 'step:1:a', input: null, output: 'old text' }
    const [old] = await payloads.append(new Date('2026-11-10T12:00:00Z'), [payload])
    const [kept] = await payloads.append(now, [payload])
    if (!old || !kept) throw new Error('A payload was not stored')
    expect((await payloads.read(old, ['step:1:a']))?.output).toBe('old text')
    await payloads.prune(now)
    expect(await payloads.read(old, ['step:1:a'])).toBeNull()
    expect((await payloads.read(kept, ['step:1:a']))?.output).toBe('old text')
    expect(await payloads.ends()).toEqual([{ day: kept.day, end: kept.length }])
    expect(await objects.days()).toEqual([kept.day])
  })
})

describe('payload files', () => {
  it('are written from the database, and imported into another one at the same offsets', async () => {
    const limits = () => ({ days: 7, totalBytes: 10_000, payloadBytes: 1000 })
    const onError = (error: unknown) => {
      throw error
    }
    const shared = { limits, termsOf: () => ['word'], objects: null, ensureImported: async () => {}, onError }
    const [first, second] = [await postgres.open({ migrations }), await postgres.open({ migrations })]
    const texts = ['one', 'zwei ü', 'three']
    const places = await createStoredPayloads({ ...shared, db: first.db }).append(
      new Date(),
      texts.map((output) => ({ owner: 'step:1:a', input: null, output })),
    )
    const dataDir = join(root, 'files')
    await writePayloadFiles(first.db.read, dataDir, new AbortController().signal)
    const folder = join(dataDir, 'payloads')
    await importPayloadFiles({ ...shared, db: second.db, folder })
    // Nothing is left to do.
    await importPayloadFiles({ ...shared, db: second.db, folder })
    for (const payloads of [
      createPayloads(folder, limits),
      createStoredPayloads({ ...shared, db: second.db }),
    ]) {
      const read = places.map((place) => (place === null ? null : payloads.read(place, ['step:1:a'])))
      expect((await Promise.all(read)).map((payload) => payload?.output)).toEqual(texts)
    }
  })
})
