import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyAfterCrash, flipBit, truncate } from '../crash.ts'
import { add, contentOf, filesOf, ids, newFolder, openStore } from '../store.ts'

const reopen = async (folder: string) => ids((await openStore({ folder })).db.read)

describe('a damaged snapshot', () => {
  async function twoGenerations(): Promise<string> {
    const { db, folder } = await openStore()
    await add(db, { id: 1, name: 'a' })
    await db.checkpoint()
    await add(db, { id: 2, name: 'b' })
    await db.checkpoint()
    await add(db, { id: 3, name: 'c' })
    return copyAfterCrash(folder)
  }
  const newest = (folder: string) => filesOf(folder, /^snapshot-.*\.db$/).at(-1) ?? ''

  test.each([
    ['a flipped bit', (file: string) => flipBit(file, 9000)],
    ['a flipped bit in the header', (file: string) => flipBit(file, 3)],
    ['a truncated file', (file: string) => truncate(file, 4000)],
    ['an empty file', (file: string) => truncate(file, 0)],
  ])('%s: the previous snapshot and the journal give the same state', async (_, damage) => {
    const folder = await twoGenerations()
    const file = newest(folder)
    damage(file)
    const { db, log } = await openStore({ folder })
    expect(await ids(db.read)).toEqual([1, 2, 3])
    expect(log.lines.map(({ message }) => message)).toContain(
      'a snapshot cannot be used, trying the one before it',
    )
    expect(readdirSync(folder).some((name) => name.startsWith(`${basename(file)}.damaged-`))).toBe(true)
    await db.close()
    expect(await reopen(folder)).toEqual([1, 2, 3])
  })
  test('all snapshots damaged: the message names each, and nothing is changed', async () => {
    const folder = await twoGenerations()
    for (const file of filesOf(folder, /^snapshot-.*\.db$/)) flipBit(file, 9000)
    const before = contentOf(folder)
    const error = await openStore({ folder }).catch((caught: unknown) => String(caught))
    for (const file of filesOf(folder, /^snapshot-.*\.db$/)) expect(error).toContain(basename(file))
    expect(error).toContain('Nothing was changed')
    expect(contentOf(folder)).toEqual(before)
  })
  test('a missing sidecar: the file is verified without it', async () => {
    const folder = await twoGenerations()
    rmSync(newest(folder).replace('.db', '.json'))
    expect(await reopen(folder)).toEqual([1, 2, 3])
  })
  test('no snapshot but a journal: never starts empty', async () => {
    const folder = await twoGenerations()
    for (const file of filesOf(folder, /^snapshot-/)) rmSync(file)
    await expect(openStore({ folder })).rejects.toThrow(/there is no snapshot, but there is journal-/)
  })
  test('only files set aside: never starts empty', async () => {
    const folder = await twoGenerations()
    const moved = newFolder()
    for (const file of filesOf(folder, /^(?:snapshot|journal)-/))
      renameSync(file, join(moved, basename(file)))
    renameSync(newest(moved), join(folder, 'snapshot-00000003.db.damaged-2026'))
    await expect(openStore({ folder })).rejects.toThrow(/there is no snapshot/)
  })
  test('a first start that was killed before its first snapshot starts again', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'snapshot-00000001.db.tmp'), 'half')
    writeFileSync(join(folder, 'snapshot-00000001.json'), '{}')
    expect(await reopen(folder)).toEqual([])
  })
})
