import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { readChainKeys } from '../../../server/history/chain/chain-key.ts'
import { headFile } from '../../../server/history/chain/head-file.ts'
import { createChainVerifier } from '../../../server/history/verify/chain-verifier.ts'
import { edit, entries, type Log, openLog, provideLogs, quiet, run, verify } from './audit-support.ts'

const { copy, newFolder, open } = provideLogs()

describe('after a restore', () => {
  const notice = { file: '/backups/of/mine/backup-1.sqlite', at: '2026-11-21T10:00:00.000Z' }
  const lastEntry = (log: Log) =>
    log.db.read.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()

  it('the log ends with a system entry with the heads before and after the restore', async () => {
    const folder = await copy()
    const before = JSON.parse(await readFile(headFile(folder), 'utf8'))
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    const log = await open(folder, { restored: notice })
    const entry = await lastEntry(log)
    expect(entry).toMatchObject({
      id: 8,
      actor: 'system',
      actor_kind: 'system',
      action: 'restore',
      resource: 'backup',
      key: 'backup-1.sqlite',
      summary:
        'Restored the store from backup-1.sqlite, whose log ends at entry 7. Entries 8 to 12 were discarded.',
    })
    expect(JSON.parse(entry.before ?? '')).toEqual({ head: { id: 12, hash: before.hash } })
    expect(JSON.parse(entry.after ?? '')).toEqual({
      head: { id: 7, hash: entry.prev_hash },
      sealed_with: 'this key',
      file: 'backup-1.sqlite',
      restored_at: notice.at,
    })
    expect(JSON.stringify(entry)).not.toContain('/backups')
    expect(await log.verify()).toMatchObject({ ok: true, entries: 8, reason: null })
  })

  it('its notice, copied back later, hides no entries removed since', async () => {
    const folder = await copy()
    const log = await openLog(folder, { restored: notice })
    for (let i = 0; i < 3; i += 1) await log.record()
    await log.close()
    await edit(folder, run('DELETE FROM audit WHERE id > 14'))
    const again = await open(folder, { restored: notice })
    expect(await again.verify()).toMatchObject({ ok: false, first_broken_id: 15 })
  })

  it('its altered entry does not prevent a start, and is found', async () => {
    const folder = await copy()
    await (await openLog(folder, { restored: notice })).close()
    await edit(folder, run(`UPDATE audit SET "before" = '{' WHERE id = 13`))
    const again = await open(folder, { restored: notice })
    expect(await again.verify()).toMatchObject({ ok: false, first_broken_id: 13 })
  })

  it('tampering with the restored entries is still detected', async () => {
    const folder = await copy()
    await (await openLog(folder, { restored: notice })).close()
    await edit(folder, run(`UPDATE audit SET summary = 'x' WHERE id = 3`))
    expect(await verify(folder)).toMatchObject({ ok: false, first_broken_id: 3 })
  })

  it.each([
    ['a new folder', false],
    ['the folder of an installation', true],
  ])(
    'in %s a chain of another installation starts at the entry; changes before it are detected',
    async (_, isUsed) => {
      const source = await copy()
      await rm(join(source, 'keys'), { recursive: true })
      await rm(headFile(source))
      if (isUsed) {
        const own = await newFolder()
        const ownLog = await openLog(own)
        await ownLog.record()
        await ownLog.close()
        await cp(join(own, 'keys'), join(source, 'keys'), { recursive: true })
        await cp(headFile(own), headFile(source))
      }
      const log = await openLog(source, { restored: notice })
      expect((await lastEntry(log)).summary).toBe(
        `Restored the store from backup-1.sqlite, whose log ends at entry 12.${isUsed ? ' The earlier log ended at entry 1.' : ''}`,
      )
      await log.record()
      const report = await log.verify()
      expect(report).toMatchObject({
        ok: false,
        status: 'unverifiable',
        unverifiable_before: entries + 1,
        entries: entries + 2,
        first_broken_id: null,
      })
      expect(report.reason).toMatch(/Entries 1 to 12 were signed with another key.*another installation/)
      await log.close()
      await edit(source, run(`UPDATE audit SET summary = 'x' WHERE id = 3`))
      expect(await verify(source)).toMatchObject({
        ok: false,
        reason: expect.stringMatching(/An entry before 13/),
      })
    },
  )

  it('the entry is written once, even if the process ends before it deletes the restore notice', async () => {
    const folder = await copy()
    for (let start = 0; start < 2; start += 1) await (await openLog(folder, { restored: notice })).close()
    expect(await verify(folder)).toMatchObject({ ok: true, entries: entries + 1 })
  })

  it('the notice remains while the disk is full, so the old head is not reported as tampering', async () => {
    const folder = await copy()
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    const stored = vi.fn<() => void>()
    const restored = { restored: notice, onRestoreStored: stored }
    setDiskHook({
      before({ call, path }) {
        if (call !== 'open' || !path.startsWith(headFile(folder)) || !path.endsWith('.tmp')) return
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      },
    })
    try {
      const full = await open(folder, restored)
      await full.record()
      expect(await full.verify()).toMatchObject({ ok: true, entries: 9, reason: null })
      await full.close()
    } finally {
      setDiskHook(undefined)
    }
    expect(stored).not.toHaveBeenCalled()

    const log = await open(folder, restored)
    expect(stored).toHaveBeenCalledOnce()
    expect(await log.verify()).toMatchObject({ ok: true, entries: 9, reason: null })
    await log.close()
    expect(await verify(folder)).toMatchObject({ ok: true, entries: 9 })
  })

  it('no sequence number is used again', async () => {
    const folder = await copy()
    const seq = JSON.parse(await readFile(headFile(folder), 'utf8')).live_seq
    await edit(folder, run(`UPDATE meta SET value = 3 WHERE key = 'live_seq'`))
    const log = await open(folder, { restored: notice })
    await log.record()
    const frames = log.announced.flatMap((event) => (event.kind === 'frame' ? [event.frame.seq] : []))
    expect(Math.min(...frames)).toBeGreaterThan(seq + 5000)
  })
})

describe('the state of the chain', () => {
  it('is unknown at first, then the result of the last verification', async () => {
    const folder = await copy()
    const log = await open(folder)
    const keys = await readChainKeys(folder)
    const verifier = createChainVerifier({
      db: log.db,
      head: log.history.head,
      keys,
      clock: log.clock,
      logger: quiet,
    })
    expect(verifier.state()).toEqual({
      ok: null,
      status: null,
      unverifiable_before: null,
      verified_at: null,
    })
    await verifier.verify()
    expect(verifier.state()).toEqual({
      ok: true,
      status: 'verified',
      unverifiable_before: null,
      verified_at: log.clock.now().toISOString(),
    })
    await log.db.write(async (tx) => {
      await run(`UPDATE audit SET summary = 'x' WHERE id = 2`)(tx.q)
    })
    log.clock.advance(60_000)
    expect(await verifier.verify()).toMatchObject({ ok: false, first_broken_id: 2 })
    expect(verifier.state()).toEqual({
      ok: false,
      status: 'broken',
      unverifiable_before: null,
      verified_at: log.clock.now().toISOString(),
    })
    await verifier.close()
  })

  it('is verified in the background at the start and again after each interval', async () => {
    const folder = await copy()
    const log = await open(folder)
    const keys = await readChainKeys(folder)
    const deps = { db: log.db, head: log.history.head, keys, clock: log.clock, logger: quiet, intervalMs: 30 }
    const verifier = createChainVerifier(deps)
    verifier.start()
    await expect.poll(() => verifier.state().ok).toBe(true)
    await log.db.write(async (tx) => {
      await run('DELETE FROM audit WHERE id = 2')(tx.q)
    })
    await expect.poll(() => verifier.state().ok).toBe(false)
    await verifier.close()
  })

  it('of a long log is determined without blocking other work', async () => {
    const folder = await copy()
    const log = await open(folder)
    for (let batch = 0; batch < 10; batch += 1) {
      await log.db.write(async (tx) => {
        for (let i = 0; i < 300; i += 1) {
          await log.history.record(tx, log.ctx(), {
            action: 'update',
            resource: 'user',
            resourceId: `u-${i}`,
            key: `user ${i}`,
            summary: `Changed user ${i}`,
          })
        }
      })
    }
    // Number of event loop iterations during the verification: at least one per few hundred entries.
    let iterations = 0
    let isDone = false
    const count = () => {
      iterations += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const report = await log.verify()
    isDone = true
    expect(report).toMatchObject({ ok: true, entries: entries + 3000 })
    expect(iterations).toBeGreaterThanOrEqual(3000 / 200)
  })
})
