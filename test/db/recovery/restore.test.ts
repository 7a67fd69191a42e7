import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRecord } from '../../../server/db/engines/sqljs/record/record-file.ts'
import { restoreBackup } from '../../../server/db/engines/sqljs/recovery/restore.ts'
import { StoreError } from '../../../server/db/errors.ts'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { largeItem, open, storeOf } from '../data-folder.ts'
import { add, ids, memoryLogger, newFolder, testMigrations } from '../store.ts'

/** Returns an open store whose backup contains the item 1, and the options to restore it. */
async function backedUp() {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  await add(db, largeItem(1))
  const file = join(newFolder(), 'backup.sqlite')
  await db.backup(file)
  const options = {
    folder: storeOf(dataDir),
    dataDir,
    file,
    logger: memoryLogger(),
    migrations: testMigrations,
  }
  return { dataDir, db, options }
}

describe('restore', () => {
  test('rewrites the record and reports what is lost', async () => {
    const { dataDir, db, options } = await backedUp()
    for (const id of [2, 3, 4]) await add(db, largeItem(id))
    await db.close()
    const { lost } = await restoreBackup(options)
    expect(lost).toEqual(['3 transactions (3 to 5)'])
    expect(readRecord(dataDir)).toMatchObject({ kind: 'read', record: { transaction: 2, segment: null } })
    const again = await open(dataDir)
    expect(await ids(again.db.read)).toEqual([1])
    await again.db.close()
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })

  test('that fails at a file call reports it with the reason, and can run again', async () => {
    const { dataDir, db, options } = await backedUp()
    await db.close()
    setDiskHook({
      before({ call, path }) {
        if (call === 'rename' && path.includes('snapshot-'))
          throw Object.assign(new Error('EIO: rename'), { code: 'EIO' })
      },
    })
    const failed = await restoreBackup(options).catch((error: unknown) => error)
    setDiskHook(undefined)
    expect(failed).toBeInstanceOf(StoreError)
    expect((failed as StoreError).message).toMatch(/^The restore was not completed: EIO.*run it again/)
    await restoreBackup(options)
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })

  test('starts after a kill before the record was rewritten', async () => {
    const { dataDir, db, options } = await backedUp()
    await add(db, largeItem(2))
    await db.close()
    // Without the data folder the record is not rewritten, as after a kill at that moment.
    const { dataDir: _, ...withoutFolder } = options
    await restoreBackup(withoutFolder)
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })

  test('into a folder whose store was deleted', async () => {
    const { dataDir, db, options } = await backedUp()
    await db.close()
    rmSync(storeOf(dataDir), { recursive: true })
    mkdirSync(storeOf(dataDir))
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'incomplete' })
    expect((await restoreBackup(options)).lost).toEqual([])
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })
})
