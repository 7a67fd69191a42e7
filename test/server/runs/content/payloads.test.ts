import { type FileHandle, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { setDiskHook } from '../../../../server/disk/hook.ts'
import { createPayloads, type Payloads } from '../../../../server/features/runs/payloads/payload-files.ts'
import { redact, redactText } from '../../../../server/features/runs/payloads/redact.ts'
import { isOnPostgres } from '../../../support/postgres/databases.ts'
import { log, setUpLog } from '../run-log.ts'
import { day, minimal, noon } from '../runs-support.ts'

describe('redaction', () => {
  test.each([
    ['key sk-proj-abcdefghijklmnop1234 end', 'key [api key] end'],
    ['sk-ant-api03-AbCdEfGhIjKlMnOpQrSt', '[api key]'],
    ['AKIAIOSFODNN7EXAMPLE', '[access key]'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123', '[token]'],
    ['Authorization: Bearer abc.def.ghi-jkl_mno', 'Authorization: Bearer [token]'],
    ['eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM', '[jwt]'],
    ['postgres://edda:hunter22@db/x', 'postgres://edda:[password]@db/x'],
    ['password = hunter22!', 'password = [secret]'],
    ['"api_key": "abcd1234"', '"api_key": "[secret]"'],
    ['{"pwd":["abcd","efgh 12"],"n":1}', '{"pwd":[secret],"n":1}'],
    ['card 4111 1111 1111 1111.', 'card [card number].'],
    ['-----BEGIN RSA PRIVATE KEY----- abc -----END RSA PRIVATE KEY-----', '[private key]'],
    ['nothing to see: the keyboard is fine', 'nothing to see: the keyboard is fine'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })
  test('applies to lists and objects, and to names of fields', () => {
    expect(
      redact({ messages: [{ content: 'my AKIAIOSFODNN7EXAMPLE' }], password: 'x', n: 1, none: null }),
    ).toEqual({
      messages: [{ content: 'my [access key]' }],
      password: '[secret]',
      n: 1,
      none: null,
    })
    expect(redact({ secret: 4711, api_key: ['abc', { n: 1 }], password: { type: 'string' } })).toEqual({
      secret: '[secret]',
      api_key: '[secret]',
      password: { type: 'string' },
    })
  })
  test('ends on long adversarial text', () => {
    for (const text of [
      'sk-'.repeat(170_000),
      'password='.repeat(60_000),
      'password=['.repeat(50_000),
      'a://'.repeat(120_000),
      '4111 '.repeat(100_000),
    ])
      expect(redactText(text)).not.toBe('')
  })
})

describe('payload files', () => {
  let folder: string
  let payloads: Payloads
  const limits = { days: 7, totalBytes: 10_000, payloadBytes: 2000 }
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'promptdeck-payloads-')), 'payloads')
    payloads = createPayloads(folder, () => limits)
  })
  afterEach(async () => {
    await payloads.close()
    await rm(join(folder, '..'), { recursive: true, force: true })
  })
  const store = async (text: string, at = noon) =>
    (await payloads.append(new Date(at), [{ owner: 'run:1', input: text, output: null }]))[0] ?? null

  test('are read back from their position, also after a restart', async () => {
    const places = await payloads.append(new Date(noon), [
      { owner: 'run:1', input: { a: 'ü' }, output: 'x\ny' },
      { owner: 'run:1', input: null, output: '2' },
    ])
    await payloads.close()
    payloads = createPayloads(folder, () => limits)
    const third = await store('third')
    expect(await readdir(folder)).toEqual(['2026-11-21.log'])
    expect((await readFile(join(folder, '2026-11-21.log'), 'utf8')).split('\n')).toHaveLength(4)
    expect((await stat(join(folder, '2026-11-21.log'))).mode & 0o077).toBe(0)
    const [first, second] = places
    if (!first || !second || !third) throw new Error('A payload was not kept')
    expect(await payloads.read(first, ['run:1'])).toEqual({ input: { a: 'ü' }, output: 'x\ny' })
    expect(await payloads.read(second, ['run:1'])).toEqual({ input: null, output: '2' })
    expect(await payloads.read(third, ['run:1'])).toEqual({ input: 'third', output: null })
  })
  test('of which the system writes a part, as on a disk that becomes full, are completed', async () => {
    const handle = await open(join(folder, '..', 'any'), 'w')
    await handle.close()
    const writev = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'writev')
    writev.mockImplementation(async function (this: FileHandle, buffers) {
      return { ...(await this.write(Buffer.concat(buffers as Buffer[]), 0, 10)), buffers }
    })
    const place = await store('long')
    writev.mockRestore()
    expect(place && (await payloads.read(place, ['run:1']))).toEqual({ input: 'long', output: null })
  })
  test('that are too large alone or together are not stored', async () => {
    expect(await store('x'.repeat(3000))).toBeNull()
    const kept = await Promise.all(Array.from({ length: 12 }, () => store('x'.repeat(1000))))
    expect(kept.filter((place) => place !== null)).toHaveLength(9)
  })
  test('are deleted after seven days, and the oldest first when the folder is full', async () => {
    const old = await store('old', noon - 7 * day)
    const kept = await store('kept', noon - 6 * day)
    await store('today')
    await payloads.prune(new Date(noon))
    expect(await readdir(folder)).toEqual(['2026-11-15.log', '2026-11-21.log'])
    if (!old || !kept) throw new Error('A payload was not kept')
    expect(await payloads.read(old, ['run:1'])).toBeNull()
    expect(await payloads.read(kept, ['run:1'])).toEqual({ input: 'kept', output: null })
    for (let n = 0; n < 9; n += 1) await store('x'.repeat(1000))
    await payloads.prune(new Date(noon))
    expect(await readdir(folder)).toEqual(['2026-11-21.log'])
  })
  test('that were modified externally are missing rather than wrong', async () => {
    const place = await store('secret')
    await writeFile(join(folder, '2026-11-21.log'), '{"input":1}\n'.repeat(20))
    expect(place && (await payloads.read(place, ['run:1']))).toBeNull()
    await writeFile(join(folder, '2026-11-21.log'), '')
    expect(place && (await payloads.read(place, ['run:1']))).toBeNull()
  })
  test('of another run are not returned, and lines of version 0.1 still are', async () => {
    const [place] = await payloads.append(new Date(noon), [{ owner: 'run:2', input: 'mine', output: null }])
    if (!place) throw new Error('A payload was not kept')
    expect(await payloads.read(place, ['run:1'])).toBeNull()
    expect(await payloads.read(place, ['run:1', 'run:2'])).toEqual({ input: 'mine', output: null })
    const line = '{"input":"old","output":null}\n'
    await writeFile(join(folder, '2026-11-21.log'), line)
    const old = { ...place, offset: 0, length: line.length }
    expect(await payloads.read(old, ['run:7'])).toEqual({ input: 'old', output: null })
  })
  test('with a flipped bit are missing rather than wrong, whatever the bit', async () => {
    const place = await store('a secret of 1 line')
    if (!place) throw new Error('A payload was not kept')
    const file = join(folder, '2026-11-21.log')
    const line = await readFile(file)
    for (let bit = 0; bit < line.length * 8; bit += 1) {
      const flipped = Buffer.from(line)
      flipped.writeUInt8(line.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      await writeFile(file, flipped)
      expect([bit, await payloads.read(place, ['run:1'])]).toEqual([bit, null])
    }
    await writeFile(file, line)
    expect(await payloads.read(place, ['run:1'])).toEqual({ input: 'a secret of 1 line', output: null })
  })
  test('are synced, with file and folder names, before a row may reference them', async () => {
    const synced: string[] = []
    setDiskHook({ after: ({ call, path }) => void (call === 'fsync' && synced.push(path)) })
    try {
      await store('first')
      expect(synced).toEqual([join(folder, '..'), folder])
      await store('second')
      expect(synced).toHaveLength(2)
      await store('next day', noon + day)
      expect(synced).toEqual([join(folder, '..'), folder, folder])
    } finally {
      setDiskHook(undefined)
    }
  })
  test('are not placed where another process wrote meanwhile', async () => {
    await store('first')
    await writeFile(join(folder, '2026-11-21.log'), 'foreign', { flag: 'a' })
    await expect(store('second')).rejects.toThrow('Another process wrote to the payload file')
    const place = await store('third')
    expect(place && (await payloads.read(place, ['run:1']))).toEqual({ input: 'third', output: null })
  })
  test('do not affect foreign files in the folder', async () => {
    await store('x')
    await writeFile(join(folder, 'notes.txt'), 'mine')
    await payloads.prune(new Date(noon + 400 * day))
    expect(await readdir(folder)).toEqual(['notes.txt'])
  })
})

describe('capture', () => {
  setUpLog()
  const input = [{ role: 'user', content: 'my key is sk-proj-abcdefghijklmnop1234' }]
  const shown = async () => {
    const { id } = await log.add({ input, output: 'Bearer abcdefghijklmnop1234' })
    const run = await log.runs.get(log.ctx(), id)
    return { input: run.input, output: run.output }
  }

  test('off stores nothing, not even a file', async () => {
    expect(await shown()).toEqual({ input: null, output: null })
    expect(await readdir(log.folder)).not.toContain('payloads')
  })
  test('full stores the given payload', async () => {
    log.settings = { ...log.settings, capture: 'full' }
    expect(await shown()).toEqual({ input, output: 'Bearer abcdefghijklmnop1234' })
  })
  test('redacted stores no secret, including on disk', async () => {
    log.settings = { ...log.settings, capture: 'redacted' }
    expect(await shown()).toEqual({
      input: [{ role: 'user', content: 'my key is [api key]' }],
      output: 'Bearer [token]',
    })
    if (isOnPostgres) {
      const { rows } = await sql<{ row: string }>`select p::text as row from payloads p`.execute(log.db.read)
      expect(rows.map(({ row }) => row).join()).toMatch(/^(?!.*abcdefghijklmnop).*\[api key\]/s)
    } else
      expect(await readFile(join(log.folder, 'payloads', '2026-11-21.log'), 'utf8')).not.toContain(
        'abcdefghijklmnop',
      )
  })
  test('stores the payload of each run of a batch, or none', async () => {
    log.settings = { ...log.settings, capture: 'full' }
    await log.runs.report(log.ctx(), [{ ...minimal, output: 'one' }, minimal, { ...minimal, input: 3 }])
    const outputs = await Promise.all([1, 2, 3].map((id) => log.runs.get(log.ctx(), id)))
    expect(outputs.map((run) => [run.input, run.output])).toEqual([
      [null, 'one'],
      [null, null],
      [3, null],
    ])
  })
  test('never occurs in a list or an export', async () => {
    log.settings = { ...log.settings, capture: 'full' }
    await log.add({ output: 'hidden' })
    expect(JSON.stringify(await log.runs.list(log.ctx(), { limit: 5 }))).not.toContain('hidden')
  })
  test('computes costs with the price table of the settings, unless reported', async () => {
    log.settings = {
      ...log.settings,
      prices: [
        {
          provider: 'openai',
          model: 'gpt-4o*',
          from: '2026-01-01',
          input_usd_per_million: 2.5,
          output_usd_per_million: 10,
        },
      ],
    }
    expect((await log.add({ prompt_tokens: 812, output_tokens: 64 })).cost_usd).toBe(0.00267)
    expect((await log.add({ prompt_tokens: 812, output_tokens: 64, cost_usd: 0.5 })).cost_usd).toBe(0.5)
    expect((await log.add({ prompt_tokens: 812, cost_usd: 0 })).cost_usd).toBe(0)
    expect((await log.add({ prompt_tokens: 812, model: 'other' })).cost_usd).toBeNull()
    expect((await log.add({ prompt_tokens: 812, provider: 'ollama' })).cost_usd).toBe(0)
    const stats = await log.runs.stats(log.ctx(), { interval: 'auto' })
    expect(stats).toMatchObject({ cost_usd: 0.50267, cost_unknown: 1 })
  })
})
