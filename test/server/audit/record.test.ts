import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditTable } from '../../../server/db/schema/schema.ts'
import { changesOf } from '../../../server/history/changes.ts'
import { plainJson, plainText } from '../../../server/lib/text/plain-text.ts'
import { type Log, newDataDir, openLog, removeDataDir } from './audit-support.ts'

let log: Log
/** Opens the log for each test of a group; other groups need none, and opening a store is slow. */
function withLog(): void {
  beforeEach(async () => {
    log = await openLog(await newDataDir())
  })
  afterEach(async () => {
    await log.close()
    await removeDataDir(log.dataDir)
  })
}

const rows = (): Promise<AuditTable[]> => log.db.read.selectFrom('audit').selectAll().orderBy('id').execute()
const singleRow = async (): Promise<AuditTable> => {
  const [row, ...rest] = await rows()
  if (row === undefined || rest.length > 0) throw new Error('expected exactly one entry')
  return row
}

describe('an entry', () => {
  withLog()

  it('contains actor, action, object, time and address', async () => {
    await log.record()
    expect(await singleRow()).toMatchObject({
      id: 1,
      created_at: log.clock.now().getTime(),
      actor: 'edda',
      actor_id: 'u-1',
      actor_kind: 'user',
      action: 'update',
      resource: 'workspace',
      resource_id: 'w-1',
      key: 'team-a',
      workspace_id: 'w-1',
      summary: 'Renamed Team A to Team B',
      ip: '127.0.0.1',
      request_id: 'req_1',
      prev_hash: '0'.repeat(64),
    })
  })

  it('contains only the changed fields', async () => {
    await log.record()
    expect(await singleRow()).toMatchObject({ before: '{"name":"Team A"}', after: '{"name":"Team B"}' })
  })

  it('names the actor of the event instead of the caller if there is one', async () => {
    const anonymous = { kind: 'anonymous', id: null, name: 'anonymous', role: null, sessionId: null } as const
    await log.record({ action: 'login_failed', resource: 'session', actor: anonymous })
    expect(await singleRow()).toMatchObject({ actor: 'anonymous', actor_id: null, actor_kind: 'anonymous' })
  })

  it('is numbered without gaps and linked to its predecessor, including several in one transaction', async () => {
    await log.record()
    await log.db.write(async (tx) => {
      await Promise.all([1, 2, 3].map(() => log.history.record(tx, log.ctx(), { ...event, key: 'k' })))
    })
    const all = await rows()
    expect(all.map((row) => row.id)).toEqual([1, 2, 3, 4])
    for (const [index, row] of all.entries()) if (index > 0) expect(row.prev_hash).toBe(all[index - 1]?.hash)
  })

  it('is not stored if its transaction rolls back', async () => {
    const failing = log.db.write(async (tx) => {
      await log.history.record(tx, log.ctx(), event)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await rows()).toEqual([])
    expect(log.announced).toEqual([])
    expect(await log.db.read.selectFrom('events').selectAll().execute()).toEqual([])
    await log.record()
    expect((await singleRow()).id).toBe(1)
  })

  it('is rolled back alone if only its savepoint fails', async () => {
    await log.db.write(async (tx) => {
      await log.history.record(tx, log.ctx(), { ...event, key: 'first' })
      const attempt = tx.attempt(async () => {
        await log.history.record(tx, log.ctx(), { ...event, key: 'undone' })
        throw new Error('no')
      })
      await expect(attempt).rejects.toThrow('no')
      await log.history.record(tx, log.ctx(), { ...event, key: 'second' })
    })
    expect((await rows()).map((row) => row.key)).toEqual(['first', 'second'])
    expect(await log.verify()).toMatchObject({ ok: true, entries: 2 })
  })

  it('never has an earlier time than its predecessor', async () => {
    await log.record()
    const first = log.clock.now().getTime()
    await log.db.write((tx) =>
      log.history.record(tx, log.ctx({ now: new Date(first - 60_000) }), { ...event }),
    )
    expect((await rows()).map((row) => row.created_at)).toEqual([first, first])
  })
})

describe('an announcement', () => {
  withLog()

  it('names the changed object and the audit log in numbered frames, after the commit', async () => {
    await log.record()
    expect(log.announced).toEqual([
      {
        kind: 'frame',
        frame: { type: 'changed', entity: 'workspace', id: 'w-1', seq: 1 },
        namespace: null,
        workspaceId: 'w-1',
      },
      {
        kind: 'frame',
        frame: { type: 'changed', entity: 'audit', id: '1', seq: 2 },
        namespace: null,
        workspaceId: 'w-1',
        userIds: ['u-1'],
      },
    ])
  })

  it('is one frame if the object is the audit log itself', async () => {
    await log.record({ action: 'export', resource: 'audit', resourceId: null })
    expect(log.announced).toHaveLength(1)
  })

  it('starts with the frame for SDKs if it concerns a prompt', async () => {
    const prompt = { id: 'p-1', key: 'greet', env: 'prod', version: 'v2', workspace_id: 'w-1' } as const
    await log.record({
      action: 'publish',
      resource: 'prompt',
      resourceId: 'p-1',
      promptEvents: [{ type: 'prompt.published', ...prompt }],
    })
    expect(log.announced[0]).toEqual({
      kind: 'frame',
      frame: { type: 'prompt.published', ...prompt, seq: 1 },
      namespace: 'prod',
      workspaceId: 'w-1',
    })
    expect(log.announced).toHaveLength(3)
  })

  it('is stored for replay under the same numbers', async () => {
    await log.record()
    const events = await log.db.read.selectFrom('events').select(['seq', 'entity']).orderBy('seq').execute()
    expect(events).toEqual([
      { seq: 1, entity: 'workspace' },
      { seq: 2, entity: 'audit' },
    ])
  })

  it('continues the numbers after a restart', async () => {
    await log.record()
    await log.close()
    log = await openLog(log.dataDir)
    await log.record()
    expect(log.announced.map((event) => event.kind === 'frame' && event.frame.seq)).toEqual([3, 4])
  })

  it('is stored for the newest five thousand only', async () => {
    await log.db.write((tx) =>
      tx.q
        .insertInto('meta')
        .values({ key: 'live_seq', value: 4_999 })
        .execute()
        .then(() => undefined),
    )
    await log.record()
    await log.db.write((tx) =>
      tx.q
        .updateTable('meta')
        .set({ value: 9_999 })
        .where('key', '=', 'live_seq')
        .execute()
        .then(() => undefined),
    )
    await log.record()
    const events = await log.db.read.selectFrom('events').select('seq').orderBy('seq').execute()
    expect(events.map(({ seq }) => seq)).toEqual([10_000, 10_001])
  })
})

describe('secrets', () => {
  const secrets = {
    password: 'hunter2',
    password_hash: '$2b$',
    current_password: 'hunter2',
    newPassword: 'hunter3',
    token: 'tkn',
    api_key: 'sk-1',
    'API-Key': 'sk-2',
    secret: 's',
    client_secret: 's',
    Authorization: 'Bearer x',
    nested: { smtp_password: 'p', list: [{ token_hash: 'h' }] },
  }

  it('are never stored, at any depth and in any case', () => {
    const { before, after } = changesOf(undefined, { ...secrets, name: 'kept' })
    expect(before).toBeNull()
    expect(JSON.parse(after ?? '')).toEqual({ name: 'kept', nested: { list: [{}] } })
  })

  it('are distinguished from flags and counts about them', () => {
    const { after } = changesOf(undefined, {
      must_change_password: true,
      has_secret: false,
      prompt_tokens: 4,
    })
    expect(JSON.parse(after ?? '')).toEqual({
      must_change_password: true,
      has_secret: false,
      prompt_tokens: 4,
    })
  })
})

describe('long text', () => {
  it('is replaced by its SHA-256 and length above 4 KiB', () => {
    const { after } = changesOf(undefined, {
      short: 'a'.repeat(4096),
      long: 'a'.repeat(4097),
      bytes: 'ä'.repeat(2049),
    })
    const fields = JSON.parse(after ?? '')
    expect(fields.short).toHaveLength(4096)
    expect(fields.long).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), length: 4097 })
    expect(fields.bytes).toMatchObject({ length: 2049 })
  })

  it('is limited in total size', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field_${i}`, 'x'.repeat(4000)]))
    expect(changesOf(undefined, many).after?.length).toBeLessThan(200)
  })
})

describe('log injection', () => {
  it.each([
    ['a line break', 'ok\nadmin deleted everything', 'ok\\nadmin deleted everything'],
    ['a carriage return', 'ok\r\nforged', 'ok\\r\\nforged'],
    ['a bidi override', 'user\u202Egnp.exe', 'user\\u{202E}gnp.exe'],
    ['a bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['an escape sequence', '\u001b[31mred', '\\u{1B}[31mred'],
    ['a NUL', 'a\u0000b', 'a\\u{0}b'],
    ['a zero-width space', 'ad\u200Bmin', 'ad\\u{200B}min'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['an emoji', 'fine 👩‍💻', 'fine 👩‍💻'],
  ])('is prevented for %s', (_, text, expected) => {
    expect(plainText(text, 100)).toBe(expected)
  })

  describe('in an entry', () => {
    withLog()

    it('is prevented in every text of an entry', async () => {
      const evil = 'x\ny\u202Ez'
      await log.record(
        { summary: evil, key: evil, resourceId: evil, workspaceId: evil },
        log.ctx({
          ip: evil,
          requestId: evil,
          actor: { kind: 'user', id: evil, name: evil, role: 'viewer', sessionId: null },
        }),
      )
      const row = await singleRow()
      const plain = 'x\\ny\\u{202E}z'
      const { actor, actor_id, summary, key, resource_id, workspace_id, ip, request_id } = row
      expect([actor, actor_id, summary, key, resource_id, workspace_id, ip, request_id]).toEqual(
        Array(8).fill(plain),
      )
    })

    it('limits the length of texts', async () => {
      await log.record({ summary: 'x'.repeat(100_000), key: 'k'.repeat(5000) })
      const row = await singleRow()
      expect(row.summary).toHaveLength(500)
      expect(row.key).toHaveLength(200)
    })
  })

  it('leaves no raw control, bidi or line separator in any text, and does not change JSON values', () => {
    const raw = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        (text, max) => {
          const plain = plainText(text, max)
          expect(plain.length).toBeLessThanOrEqual(max)
          expect(plain).not.toMatch(raw)
          const json = plainJson({ text })
          expect(json).not.toMatch(raw)
          expect(JSON.parse(json)).toEqual({ text })
        },
      ),
    )
  })
})

const event = {
  action: 'create',
  resource: 'workspace',
  resourceId: 'w-9',
  key: 'k',
  summary: 'Made it',
} as const
