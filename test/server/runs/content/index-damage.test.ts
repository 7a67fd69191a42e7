import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { setDiskHook } from '../../../../server/disk/hook.ts'
import { flipBit } from '../../../db/crash.ts'
import { day, noon } from '../runs-support.ts'
import { type Archive, openArchive } from './content-support.ts'

afterEach(() => setDiskHook(undefined))

describe('removal', () => {
  it('leaves nothing of a day on the disk', async () => {
    const archive = await openArchive()
    await archive.add(['forgetmenot one'])
    await archive.add(['rememberme two'], 1)
    await archive.add(['third'], 2)
    await archive.written(2)
    writeFileSync(join(archive.folder, '2026-11-21.0-99.idx.abcd.tmp'), 'forgetmenot')
    await archive.payloads.prune(new Date(noon + 90 * day))
    await archive.complete()
    expect((await archive.files()).filter((name) => name.startsWith('2026-11-21'))).toEqual([])
    expect(await archive.find('forgetmenot')).toEqual([])
    expect(await archive.find('rememberme')).toHaveLength(1)
    for (const name of await archive.files())
      expect(await readFile(join(archive.folder, name), 'latin1')).not.toContain('forgetmenot')
  })

  it('of an index without payloads happens at the next start', async () => {
    const archive = await openArchive()
    await archive.add(['orphaned'])
    await archive.add(['other'], 1)
    await archive.written(1)
    await archive.index.close()
    const [file] = await archive.files()
    writeFileSync(join(archive.folder, '2020-01-01.0-10.idx'), readFileSync(join(archive.folder, file ?? '')))
    writeFileSync(join(archive.folder, '2026-11-22.0-10.idx.0a1b.tmp'), 'unfinished')
    archive.reopen()
    await archive.complete()
    expect(await archive.files()).toEqual([file])
  })
})

/** An archive with two days; the first is in a segment. */
async function damagedArchive(): Promise<{ archive: Archive; file: string; ids: number[] }> {
  const archive = await openArchive()
  const ids = await archive.add(Array.from({ length: 40 }, (_, n) => `lorem ipsum number${n}`))
  await archive.add(['later'], 1)
  await archive.written(1)
  await archive.index.close()
  const [name = ''] = await archive.files()
  return { archive, file: join(archive.folder, name), ids: ids.reverse() }
}

describe('damage', () => {
  it('of any byte never leads to wrong results, and is reported and repaired', async () => {
    const { archive, file, ids } = await damagedArchive()
    const whole = readFileSync(file)
    for (let at = 0; at < whole.length; at += 97) {
      writeFileSync(file, whole)
      flipBit(file, at)
      archive.errors.length = 0
      archive.reopen()
      await archive.complete()
      const first = await archive.find('ipsum')
      expect(ids).toEqual(expect.arrayContaining(first))
      await archive.complete()
      expect([at, await archive.find('ipsum')]).toEqual([at, ids])
      expect([at, await archive.find('number7')]).toEqual([at, [ids.at(-8)]])
      await archive.index.close()
      // The first bytes and the rest of a checked block are not read by each search.
      if (first.length < ids.length) expect(archive.errors.join()).toContain('is damaged')
    }
  })

  it.each([
    ['a torn end', (file: string) => truncateSync(file, readFileSync(file).length - 5)],
    ['an empty file', (file: string) => truncateSync(file, 0)],
    ['a file of something else', (file: string) => writeFileSync(file, 'x'.repeat(5000))],
  ])('%s is reported, and the index is built again', async (_name, damage) => {
    const { archive, file, ids } = await damagedArchive()
    damage(file)
    archive.reopen()
    await archive.complete()
    expect(archive.errors.map(({ message }) => message).join()).toContain('is damaged')
    expect(await archive.find('ipsum')).toEqual(ids)
  })

  it.each([
    ['a missing segment', (file: string) => rmSync(file)],
    ['a missing folder', (file: string) => rmSync(join(file, '..'), { recursive: true })],
  ])('%s is built again', async (_name, damage) => {
    const { archive, file, ids } = await damagedArchive()
    damage(file)
    archive.reopen()
    await archive.complete()
    expect(await archive.find('ipsum')).toEqual(ids)
  })

  it('of the payload file or another file in its place drops the index of that day', async () => {
    const { archive, ids } = await damagedArchive()
    const file = join(archive.folder, '..', '2026-11-21.log')
    const lines = readFileSync(file, 'utf8').replaceAll('ipsum', 'dolor').split('\n')
    // The same length, but the checksums of the lines no longer match.
    writeFileSync(file, lines.join('\n'))
    archive.reopen()
    await archive.complete()
    expect(await archive.find('ipsum')).toEqual([])
    expect(await archive.find('dolor')).toEqual([])
    expect(ids).toHaveLength(40)
  })

  it('of the folder while it is in use leaves what is captured later', async () => {
    const archive = await openArchive()
    await archive.add(['first', 'second'])
    await archive.complete()
    rmSync(join(archive.folder, '..'), { recursive: true })
    await archive.add(['third'])
    await archive.complete()
    expect(await archive.find('third')).toHaveLength(1)
    expect(await archive.find('first')).toEqual([])
  })

  it('an index of another store is built again', async () => {
    const { archive, ids } = await damagedArchive()
    archive.rows.clear()
    archive.reopen('store-2')
    await archive.complete()
    expect(await archive.find('ipsum')).toEqual([])
    expect(ids).toHaveLength(40)
  })
})

describe('a crash', () => {
  it('at any file call leaves an index from which every payload is found', async () => {
    const { archive, ids } = await damagedArchive()
    rmSync(archive.folder, { recursive: true })
    const copy = `${archive.folder}-copy`
    for (let call = 1; ; call += 1) {
      rmSync(archive.folder, { recursive: true, force: true })
      let calls = 0
      let isCrashed = false
      setDiskHook({
        before(operation) {
          if (!operation.path.includes('index') || isCrashed) return
          calls += 1
          if (calls < call) return
          isCrashed = true
          mkdirSync(archive.folder, { recursive: true })
          cpSync(archive.folder, copy, { recursive: true })
        },
      })
      archive.reopen()
      await archive.written(1)
      await archive.index.close()
      setDiskHook(undefined)
      if (!isCrashed) break
      // The folder as it was at the crash.
      rmSync(archive.folder, { recursive: true })
      cpSync(copy, archive.folder, { recursive: true })
      rmSync(copy, { recursive: true })
      archive.reopen()
      await archive.complete()
      expect([call, await archive.find('ipsum')]).toEqual([call, ids])
      expect(await archive.find('later')).toHaveLength(1)
      await archive.index.close()
      expect((await archive.files()).filter((name) => name.endsWith('.tmp'))).toEqual([])
    }
    rmSync(copy, { recursive: true, force: true })
  })

  it('while a payload is written leaves its remains in front of the next one, which is found', async () => {
    const archive = await openArchive()
    await archive.add(['before the crash'])
    await archive.payloads.close()
    const file = join(archive.folder, '..', '2026-11-21.log')
    writeFileSync(file, '{"owner":"run:77","input":{"owner":"x"},"output":"remains of', { flag: 'a' })
    const [id] = await archive.add(['after the crash'])
    await archive.complete()
    expect(await archive.find('after')).toEqual([id])
    expect(await archive.find('remains')).toEqual([])
  })

  it.each(['ENOSPC', 'EIO'])('%s is reported, and work continues afterwards', async (code) => {
    const { archive, ids } = await damagedArchive()
    rmSync(archive.folder, { recursive: true })
    setDiskHook({
      before({ call, path }) {
        if (call === 'write' && path.includes('.idx')) throw Object.assign(new Error(code), { code })
      },
    })
    archive.reopen()
    await archive.complete()
    await expect.poll(() => archive.errors.map(({ message }) => message)).toContain(code)
    // The payloads are still in memory.
    expect(await archive.find('ipsum')).toEqual(ids)
    expect(await archive.files()).toEqual([])
    setDiskHook(undefined)
    await archive.written(1)
    expect(await archive.find('ipsum')).toEqual(ids)
  })
})
