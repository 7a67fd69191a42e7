import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { keyLine, parseKeyLine } from '../../../server/auth/key-file.ts'
import { chainKeyFile, openChainKeys, readChainKeys } from '../../../server/history/chain/chain-key.ts'
import { headFile } from '../../../server/history/chain/head-file.ts'
import { edit, entries, openLog, provideLogs, run, verify } from './audit-support.ts'

const { newFolder, copy, open } = provideLogs()

describe('the key', () => {
  const keyBytesOf = async (folder: string) => parseKeyLine(await readFile(chainKeyFile(folder), 'utf8'))

  it('is created at the first start, private to the user, with a checksum, and does not change', async () => {
    const folder = await newFolder()
    const first = await openChainKeys(folder)
    await first.save()
    const second = await openChainKeys(folder)
    expect([first.isNew, second.isNew]).toEqual([true, false])
    expect(first.current.equals(second.current)).toBe(true)
    expect(await keyBytesOf(folder)).not.toBeNull()
    if (process.platform !== 'win32') expect((await stat(chainKeyFile(folder))).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['short', () => 'short'],
    ['empty', () => ''],
    ['one bit changed', (text: string) => (text[0] === '0' ? '1' : '0') + text.slice(1)],
    ['truncated to 32 characters', (text: string) => text.slice(0, 32)],
    ['with two lines', (text: string) => text + text],
  ])('damaged (%s) is refused with a remedy, and not changed', async (_, damage) => {
    const folder = await newFolder()
    await (await openChainKeys(folder)).save()
    const damaged = damage(await readFile(chainKeyFile(folder), 'utf8'))
    await writeFile(chainKeyFile(folder), damaged)
    for (const read of [openChainKeys, readChainKeys])
      await expect(read(folder)).rejects.toThrow(
        /keys.audit\.key is damaged.*Restore a copy.*Without a copy, move the file away.*until the old key is restored/s,
      )
    expect(await readFile(chainKeyFile(folder), 'utf8')).toBe(damaged)
  })

  it('is accepted as 32 raw bytes, and gets its checksum after it verified the end of the log', async () => {
    const folder = await copy()
    const line = await readFile(chainKeyFile(folder), 'utf8')
    const raw = await keyBytesOf(folder)
    await writeFile(chainKeyFile(folder), raw ?? '')
    expect(await verify(folder)).toMatchObject({ ok: true, status: 'verified' })
    // The offline verification changes nothing.
    expect(await readFile(chainKeyFile(folder))).toEqual(raw)
    await (await openLog(folder)).close()
    expect(await readFile(chainKeyFile(folder), 'utf8')).toBe(line)
    expect(await verify(folder)).toMatchObject({ ok: true, entries })
  })

  it.each([
    ['raw', () => Buffer.alloc(32, 7)],
    ['with a checksum', () => keyLine(Buffer.alloc(32, 7))],
  ])('that signed no entry of the log is refused (%s), and starts no chain', async (_, other) => {
    const folder = await copy()
    const line = await readFile(chainKeyFile(folder), 'utf8')
    await writeFile(chainKeyFile(folder), other())
    await expect(openLog(folder)).rejects.toThrow(
      /did not sign any of the 12 entries.*Restore a copy.*move the file away/s,
    )
    expect(await readFile(chainKeyFile(folder))).toEqual(Buffer.from(other()))
    await writeFile(chainKeyFile(folder), line)
    await (await openLog(folder)).close()
    expect(await verify(folder)).toMatchObject({ ok: true, entries })
  })

  it('is recognized even if the newest entry was edited or the head file is missing', async () => {
    const folder = await copy()
    await edit(folder, run(`UPDATE audit SET actor = 'mallory' WHERE id = ${entries}`))
    await rm(headFile(folder))
    const log = await open(folder)
    expect(await log.verify()).toMatchObject({ status: 'broken', entries, first_broken_id: entries })
  })

  it('if it is missing, is reported as such, not as tampering', async () => {
    const folder = await copy()
    await rm(chainKeyFile(folder))
    const report = await verify(folder)
    expect(report).toMatchObject({
      ok: false,
      status: 'unverifiable',
      unverifiable_before: entries + 1,
      entries,
      first_broken_id: null,
    })
    expect(report.reason).toMatch(/audit\.key is missing.*does not indicate tampering/s)
  })

  it('if it is of another installation, is reported as such, not as tampering', async () => {
    const folder = await copy()
    await writeFile(chainKeyFile(folder), Buffer.alloc(32, 7))
    const report = await verify(folder)
    expect(report).toMatchObject({ ok: false, status: 'unverifiable', first_broken_id: null })
    expect(report.reason).toMatch(/did not sign the log/)
  })

  it('if it is lost, the next start logs this and continues; changes of older entries are still detected', async () => {
    const folder = await copy()
    await rm(chainKeyFile(folder))
    const log = await openLog(folder)
    await log.record()
    const report = await log.verify()
    expect(report).toMatchObject({
      ok: false,
      status: 'unverifiable',
      unverifiable_before: entries + 1,
      first_broken_id: null,
      entries: entries + 2,
    })
    expect(report.reason).toMatch(/signed with another key.*lost or replaced.*does not indicate tampering/s)
    const anchor = await log.db.read
      .selectFrom('audit')
      .selectAll()
      .where('id', '=', entries + 1)
      .executeTakeFirst()
    expect(anchor).toMatchObject({
      actor: 'system',
      actor_kind: 'system',
      action: 'restore',
      resource: 'audit',
    })
    await log.close()
    await edit(folder, run(`UPDATE audit SET summary = 'x' WHERE id = 3`))
    const edited = await verify(folder)
    expect(edited).toMatchObject({ status: 'broken', unverifiable_before: null })
    expect(edited.reason).toMatch(/An entry before 13 was changed/)
  })

  describe('restored after a loss', () => {
    let original = ''
    let line = ''
    /** Returns a copy of a folder that continued for three entries with a new key. `line` is that of the lost one. */
    const loseKey = () => copy(original)
    beforeAll(async () => {
      original = await copy()
      line = await readFile(chainKeyFile(original), 'utf8')
      await rm(chainKeyFile(original))
      const log = await openLog(original)
      for (let i = 0; i < 3; i += 1) await log.record({ summary: `Meanwhile ${i}` })
      await log.close()
    })

    it.each([
      ['with its checksum', (line: string) => line],
      ['as 32 raw bytes', (line: string) => parseKeyLine(line) ?? ''],
    ])('%s, verifies its own entries, those written meanwhile and new ones', async (_, encode) => {
      const folder = await loseKey()
      expect(await verify(folder)).toMatchObject({ ok: false, status: 'unverifiable' })
      await writeFile(chainKeyFile(folder), encode(line))
      const offline = await verify(folder)
      expect(offline).toMatchObject({ ok: true, status: 'verified', entries: entries + 4 })
      expect(offline.reason).toMatch(/entries 13 to 16 with the key [0-9a-f]{16}/)
      const log = await openLog(folder)
      await log.record()
      expect(await log.verify()).toMatchObject({ ok: true, entries: entries + 6, unverifiable_before: null })
      const anchor = await log.db.read
        .selectFrom('audit')
        .select('summary')
        .where('id', '=', entries + 5)
        .executeTakeFirst()
      expect(anchor?.summary).toMatch(/audit key .* was restored/)
      await log.close()
      expect(await readFile(chainKeyFile(folder), 'utf8')).toBe(line)
      await (await openLog(folder)).close()
      expect(await verify(folder)).toMatchObject({ ok: true, entries: entries + 6 })
    })

    it('verifies its own entries together with the new key', async () => {
      const folder = await loseKey()
      await writeFile(join(folder, 'keys', 'audit-old.key'), line)
      expect(await verify(folder)).toMatchObject({ ok: true, entries: entries + 4 })
      await (await openLog(folder)).close()
      expect(await verify(folder)).toMatchObject({ ok: true, entries: entries + 4 })
    })

    it('names tampered entries of either key', async () => {
      const folder = await loseKey()
      await writeFile(chainKeyFile(folder), line)
      for (const id of [14, 5]) {
        await edit(folder, run(`UPDATE audit SET summary = 'x' WHERE id = ${id}`))
        expect(await verify(folder)).toMatchObject({ ok: false, status: 'broken', first_broken_id: id })
      }
    })

    it('names the entries that cannot be verified if the other key was not kept', async () => {
      const folder = await loseKey()
      for (const name of await readdir(join(folder, 'keys'))) {
        if (name.startsWith('audit-')) await rm(join(folder, 'keys', name))
      }
      await writeFile(chainKeyFile(folder), line)
      const log = await openLog(folder)
      await log.record()
      expect(await log.verify()).toMatchObject({
        ok: false,
        status: 'unverifiable',
        unverifiable_before: entries + 5,
        first_broken_id: null,
        reason: expect.stringMatching(/^Entries 13 to 16 were signed with another key/),
      })
      await log.close()
      await edit(folder, run(`UPDATE audit SET summary = 'x' WHERE id = 14`))
      expect(await verify(folder)).toMatchObject({ status: 'broken' })
    })

    it('continues after an interrupted creation of the new key', async () => {
      const folder = await copy()
      const head = await readFile(headFile(folder))
      await rm(chainKeyFile(folder))
      const keys = await openChainKeys(folder)
      await keys.saveCopy()
      await keys.save()
      await (await openLog(folder)).close()
      expect(await verify(folder)).toMatchObject({ status: 'unverifiable', unverifiable_before: entries + 1 })
      // Interrupted after the entry about the new key, before the head file of the lost one was replaced.
      await writeFile(headFile(folder), head)
      const log = await openLog(folder)
      expect(await log.verify()).toMatchObject({ status: 'unverifiable', unverifiable_before: entries + 1 })
      await log.record()
      await log.close()
      // A head file of the lost key beside later entries is not explained by a crash.
      await writeFile(headFile(folder), head)
      await (await openLog(folder)).close()
      expect(await verify(folder)).toMatchObject({ status: 'broken' })
    })
  })
})
