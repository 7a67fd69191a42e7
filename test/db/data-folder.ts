import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { copyAfterCrash } from './crash.ts'
import { add, contentOf, filesOf, ids, newFolder, openStore } from './store.ts'

export const storeOf = (dataDir: string) => join(dataDir, 'store')
export const open = (dataDir: string, options: Parameters<typeof openStore>[0] = {}) =>
  openStore({ folder: storeOf(dataDir), dataDir, ...options })
export const reopen = async (dataDir: string) => ids((await open(dataDir)).db.read)
/** Copies the folder in the state after a kill, once background work has ended. */
export async function crashed(folder: string): Promise<string> {
  const unfinished = () =>
    [folder, storeOf(folder)].flatMap((path) => (existsSync(path) ? filesOf(path, /\.tmp$/) : []))
  await expect.poll(unfinished, { timeout: 10_000 }).toEqual([])
  return copyAfterCrash(folder)
}

/** An item of 60 kB, so that a few of them fill a journal segment. */
export const largeItem = (id: number) => ({ id, name: `${id}`.padEnd(60_000, 'x') })

/** Creates a data folder with items 1 to `count` and a checkpoint at item 2, as a kill leaves it. */
export async function killed(count = 5): Promise<string> {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  for (let id = 1; id <= count; id += 1) {
    await add(db, largeItem(id))
    if (id === 2) await db.checkpoint()
  }
  return await crashed(dataDir)
}

/** Creates a data folder with items 1 to `count`, as a clean stop leaves it. */
export async function stopped(count = 5): Promise<string> {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  for (let id = 1; id <= count; id += 1) await add(db, largeItem(id))
  await db.close()
  return dataDir
}

/** Starts the store, expects the refusal, and checks that nothing was changed. */
export async function refused(
  dataDir: string,
  reason: RegExp,
  options: Parameters<typeof openStore>[0] = {},
) {
  mkdirSync(storeOf(dataDir), { recursive: true })
  const before = [contentOf(dataDir), contentOf(storeOf(dataDir))]
  const error = await open(dataDir, options).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'StoreError', code: 'incomplete' })
  expect(String(error)).toMatch(reason)
  expect(String(error)).toContain(`npm run recover -- --data "${dataDir}"`)
  expect(String(error)).toContain('npm run restore -- --data')
  expect([contentOf(dataDir), contentOf(storeOf(dataDir))]).toEqual(before)
}
