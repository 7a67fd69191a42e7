import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { restoreBackup } from '../../../server/db/engines/sqljs/recovery/restore.ts'
import { flipBit } from '../../db/crash.ts'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { openRunLog } from './runs-support.ts'
import { add, complete, idsOf, indexFolder, report, search, server, setUpService } from './search-support.ts'

setUpService()

describe('GET /api/runs?content=', () => {
  let refund: number
  let invoice: number
  let tool: number
  beforeAll(async () => {
    refund = await add({
      input: { messages: [{ role: 'user', content: 'I want my money back for order 4711' }] },
      output: 'A refund was issued to Ada Lovelace.',
      ref_key: 'support/answer',
    })
    invoice = await add({
      input: 'Please explain the invoice of order 4711',
      output: 'The invoice lists "shipping & handling".',
      provider: 'claude',
      status: 'error',
      error: 'refused',
    })
    tool = await add({
      input: { tools: [{ name: 'lookup', arguments: { city: 'Zürich', limit: 12.5 } }] },
      output: null,
    })
  })

  it('finds words, beginnings of the last word and phrases, newest first, right after the report', async () => {
    expect(await idsOf('order')).toEqual([invoice, refund])
    expect(await idsOf('ORDER 4711 inv')).toEqual([invoice])
    expect(await idsOf('"money back for order"')).toEqual([refund])
    expect(await idsOf('"money order"')).toEqual([])
    expect(await idsOf('zürich')).toEqual([tool])
    expect(await idsOf('12.5')).toEqual([tool])
    expect(await idsOf('"back for" lovelace')).toEqual([refund])
    expect(await idsOf('inv order')).toEqual([])
    expect(await idsOf('city')).toEqual([])
    expect(await idsOf('user')).toEqual([])
    expect(await idsOf('shipping & handling')).toEqual([invoice])
    expect(await idsOf('&')).toEqual([])
  })

  it('returns an excerpt with the matches marked', async () => {
    const { data, total } = await search('refund lovelace')
    expect(total).toBe(1)
    const [{ excerpt }] = data
    expect(excerpt).toEqual({
      field: 'output',
      text: 'A refund was issued to Ada Lovelace.',
      marks: [
        [2, 8],
        [27, 35],
      ],
    })
    const long = await add({ input: `${'x y z '.repeat(100)}needle ${'p q r '.repeat(100)}`, output: null })
    const [found] = (await search('needle')).data
    expect(found.id).toBe(long)
    const [[start, end]] = found.excerpt.marks
    expect(found.excerpt.text.slice(start, end)).toBe('needle')
    expect(found.excerpt.text).toMatch(/^….*…$/)
    expect(found.excerpt.text.length).toBeLessThan(300)
    expect((await server.call('GET /api/runs')).body.data[0]).not.toHaveProperty('excerpt')
  })

  it('combines with every other filter, and with both orders', async () => {
    expect(await idsOf('order', '&provider=claude')).toEqual([invoice])
    expect(await idsOf('order', '&status=ok&ref_key=support/answer')).toEqual([refund])
    expect(await idsOf('order', '&q=refused')).toEqual([invoice])
    expect(await idsOf('order', '&workspace=nowhere')).toEqual([])
    expect(await idsOf('order', '&sort=created_at')).toEqual([refund, invoice])
    expect(await idsOf('order', '&to=2020-01-01')).toEqual([])
    expect(await idsOf('order', '&min_latency_ms=101')).toEqual([])
  })

  it('pages by a cursor that stays valid while rows are added', async () => {
    const ids: number[] = []
    for (let n = 0; n < 7; n += 1) ids.unshift(await add({ output: `paging ${n}` }))
    const first = await search('paging', '&limit=3')
    expect(first.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 3))
    expect(first.total).toBe(7)
    await add({ output: 'paging later' })
    const second = await search('paging', `&limit=3&cursor=${first.next_cursor}`)
    expect(second.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(3, 6))
    expect(await idsOf('paging', '&limit=2&offset=6')).toEqual(ids.slice(5, 7))
    const foreign = await server.call(`GET /api/runs?content=other&cursor=${first.next_cursor}`)
    expect(foreign.status).toBe(422)
  })

  it('is sorted by the time of the run, not of its report', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    const batch = [3, 1, 30, 2].map((hours) => report({ output: 'backdated', created_at: hoursAgo(hours) }))
    const { data } = (await server.call('POST /api/runs', { body: batch })).body
    const [three, one, thirty, two] = data.map(({ id }: { id: number }) => id)
    expect(await idsOf('backdated')).toEqual([one, two, three, thirty])
    expect(await idsOf('backdated', `&from=${hoursAgo(2.5)}&to=${hoursAgo(1.5)}`)).toEqual([two])
  })

  it('filters the export', async () => {
    const reply = await server.call('GET /api/runs/export?format=jsonl&content=lovelace')
    expect(reply.status).toBe(200)
    const lines = String(reply.text).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([refund])
  })

  it('searches only redacted text of redacted runs, and nothing when capture is off', async () => {
    await server.call('PATCH /api/settings', { body: { capture: 'redacted' } })
    const redacted = await add({
      input: 'Dear Dorothea, key sk-ant-0123456789abcdef0123',
      variables: { name: 'Dorothea' },
    })
    await server.call('PATCH /api/settings', { body: { capture: 'off' } })
    await add({ output: 'uncaptured words' })
    await server.call('PATCH /api/settings', { body: { capture: 'full' } })
    expect(await idsOf('dear')).toContain(redacted)
    expect(await idsOf('dorothea')).toEqual([])
    expect(await idsOf('0123456789abcdef0123')).toEqual([])
    expect(await idsOf('uncaptured')).toEqual([])
  })

  it('counts up to 1,000 matches exactly', async () => {
    for (let n = 0; n < 3; n += 1) {
      const body = Array.from({ length: 400 }, (_, i) =>
        report({ output: `crowd ${i % 10 === 0 ? 'rare' : ''}` }),
      )
      expect((await server.call('POST /api/runs', { body })).status).toBe(201)
    }
    await complete()
    expect(await search('crowd', '&limit=5')).toMatchObject({ total: 1000, total_capped: true })
    expect(await search('crowd rare', '&limit=5')).toMatchObject({ total: 120 })
    expect((await search('crowd rare', '&limit=5')).total_capped).toBeUndefined()
    expect(await search('"crowd rare"', '&limit=5')).toMatchObject({ total: 100, total_capped: true })
  })
})

describe('the state of content', () => {
  const stateOf = async (id: number) => (await server.call(`GET /api/runs/${id}`)).body.data.content_state
  beforeEach(() => server.call('PATCH /api/settings', { body: { capture: 'full' } }))

  it('is the reason for which a run has none', async () => {
    const captured = await add({ output: 'text' })
    const notSent = await add({})
    await server.call('PATCH /api/settings', { body: { capture: 'off' } })
    const off = await add({ output: 'text' })
    expect(await Promise.all([captured, notSent, off].map(stateOf))).toEqual(['captured', 'not_sent', 'off'])
  })

  it('is full or too large if a limit is reached', async () => {
    const log = await openRunLog({ payloadLimits: { days: 7, totalBytes: 3000, payloadBytes: 1000 } })
    log.settings = { ...log.settings, capture: 'full' }
    const states: string[] = []
    for (const length of [100, 2000, 900, 900, 900]) {
      const { id } = await log.add({ output: 'x'.repeat(length) })
      states.push((await log.runs.get(log.ctx(), id)).content_state)
    }
    expect(states).toEqual(['captured', 'too_large', 'captured', 'captured', 'full'])
    await log.close()
  })

  it.skipIf(isOnPostgres)('is damaged or removed if the file is', async () => {
    const id = await add({ output: 'of a file' })
    const folder = join(server.dataDir, 'payloads')
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.log'))
    const file = join(folder, name)
    const at = (await readFile(file)).lastIndexOf('of a file')
    flipBit(file, at)
    expect(await stateOf(id)).toBe('damaged')
    expect(await idsOf('"of a file"')).toEqual([])
    flipBit(file, at)
    expect(await stateOf(id)).toBe('captured')
    await server.stop()
    renameSync(folder, `${folder}-gone`)
    await server.restart()
    expect(await stateOf(id)).toBe('removed')
    expect(await search('order')).toMatchObject({ data: [], total: 0 })
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    renameSync(`${folder}-gone`, folder)
    await server.restart()
    expect(await stateOf(id)).toBe('captured')
  })
})

describe('the index', () => {
  it('is made for an existing data folder, and again when it is lost', async () => {
    const id = await add({ output: 'made before the upgrade' })
    await server.stop()
    rmSync(indexFolder(), { recursive: true, force: true })
    await server.restart()
    await complete()
    expect(await idsOf('upgrade')).toEqual([id])
    expect(existsSync(indexFolder())).toBe(!isOnPostgres)
  })

  // A database is restored with its own tools.
  if (!isOnPostgres)
    it('is built again after a restore, and has the runs of the backup only', async () => {
      const kept = await add({ output: 'before the backup' })
      await complete()
      const backup = await server.call('POST /api/backups')
      expect(backup.status).toBe(201)
      const lost = await add({ output: 'after the backup' })
      expect(await idsOf('"the backup"')).toEqual([lost, kept])
      await server.stop()
      const backups = join(server.dataDir, 'backups')
      await restoreBackup({
        folder: join(server.dataDir, 'store'),
        dataDir: server.dataDir,
        file: join(backups, `${backup.body.data.id}.sqlite`),
        backups,
        logger: { info() {}, warn() {}, error() {} },
      })
      await server.restart()
      await complete()
      expect(await idsOf('"the backup"')).toEqual([kept])
      const next = await add({ output: 'the backup is restored' })
      expect(await idsOf('"the backup"')).toEqual([next, kept])
    })
})
