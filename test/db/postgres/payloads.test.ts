import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { migrations } from '../../../server/db/migrations/index.ts'
import { importPayloadFiles } from '../../../server/features/runs/content/stored/import-files.ts'
import { openSharedFolder } from '../../../server/features/runs/payloads/objects/shared-folder.ts'
import { createPayloads } from '../../../server/features/runs/payloads/payload-files.ts'
import { createStoredPayloads } from '../../../server/features/runs/payloads/stored/stored-payloads.ts'
import { payloadDaysOf, writePayloadFiles } from '../../../server/tools/copy/payloads.ts'
import { startTestServer } from '../../support/service.ts'
import { postgresServer } from './postgres-support.ts'

const postgres = postgresServer()
const root = mkdtempSync(join(tmpdir(), 'promptdeck-payloads-test-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

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

  it('are refused if it cannot be created', async () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    for (const nowhere of [file, join(file, 'x'), '/proc/nowhere/x'])
      await expect(openSharedFolder(pathToFileURL(nowhere).href)).rejects.toThrow(
        `The folder ${nowhere} of PAYLOADS_URL cannot be used: `,
      )
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
    const days = await payloadDaysOf(first.db.read, dataDir)
    await writePayloadFiles(first.db.read, days, dataDir, new AbortController().signal)
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
