import { describe, expect, it } from 'vitest'
import { log, reopen, rows, singleRow, withLog } from './record-support.ts'

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
    await reopen()
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

const event = {
  action: 'create',
  resource: 'workspace',
  resourceId: 'w-9',
  key: 'k',
  summary: 'Made it',
} as const
