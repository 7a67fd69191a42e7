import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { fileNames } from '../../../server/db/engines/sqljs/format/folder.ts'
import { acquireLock } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { recordName } from '../../../server/db/engines/sqljs/record/record-file.ts'
import { RESERVE_BYTES, reserveName } from '../../../server/db/engines/sqljs/space/reserve.ts'
import { existsSync } from '../../../server/disk/fs.ts'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { surplusOf } from '../../../server/features/backups/backups.service.ts'
import { createBackupStore } from '../../../server/features/backups/backups.store.ts'
import { headFile, readHead } from '../../../server/history/chain/head-file.ts'
import { open, stopped, storeOf } from '../../db/data-folder.ts'
import { newFolder } from '../../db/store.ts'

afterEach(() => setDiskHook(undefined))

/** Makes every call on the file fail. File permissions would not restrict root. */
function failCalls(file: string, code: string): void {
  setDiskHook({
    before({ call, path }) {
      if (path === file) throw Object.assign(new Error(`${code}: ${call} '${path}'`), { code })
    },
  })
}

const remedies = {
  EACCES: /Give the user of this service access to it, then start again\.$/,
  EIO: /ove it away, then start again/,
}

test.each(['EACCES', 'EIO'] as const)(
  'an audit-head.json that fails with %s gives a message with a remedy',
  async (code) => {
    const folder = newFolder()
    failCalls(headFile(folder), code)
    await expect(readHead(folder)).rejects.toThrow(remedies[code])
  },
)

test.each(['EACCES', 'EIO'] as const)(
  'the claim of an owner that fails with %s gives a message with a remedy',
  async (code) => {
    const folder = newFolder()
    const lock = await acquireLock(folder)
    await lock.release()
    failCalls(join(folder, 'run', 'owner-1.json'), code)
    await expect(acquireLock(folder)).rejects.toThrow(remedies[code])
  },
)

test.each(['EACCES', 'EBUSY'] as const)(
  'a store-record.json that fails with %s gives a message with a remedy',
  async (code) => {
    const dataDir = await stopped()
    failCalls(join(dataDir, recordName), code)
    await expect(open(dataDir)).rejects.toThrow(
      code === 'EACCES' ? remedies.EACCES : /Start again\. If the error remains, move it away/,
    )
  },
)

test('the marker of a restore that cannot be read is not treated as missing', async () => {
  const dataDir = await stopped()
  failCalls(join(storeOf(dataDir), fileNames.restore), 'EACCES')
  await expect(open(dataDir)).rejects.toThrow(/the marker of a restore, is damaged: EACCES.*npm run recover/s)
})

test('a disk-reserve.bin that cannot be read is replaced', async () => {
  const dataDir = await stopped()
  const file = join(dataDir, reserveName)
  rmSync(file, { force: true })
  symlinkSync(file, file)
  await (await open(dataDir)).db.close()
  expect(statSync(file).size).toBe(RESERVE_BYTES)
})

test('a file whose existence is unknown is not treated as missing', () => {
  const file = join(newFolder(), 'loop')
  symlinkSync(file, file)
  expect(() => existsSync(file)).toThrow('ELOOP')
  expect(existsSync(`${file}-2`)).toBe(false)
})

test('a directory in place of store.json gives a message with a remedy', async () => {
  const dataDir = newFolder()
  mkdirSync(join(storeOf(dataDir), 'store.json'), { recursive: true, mode: 0o700 })
  await expect(open(dataDir)).rejects.toThrow(/EISDIR.*Move it away, then start again/)
})

test('a directory in place of owner.json gives a message with a remedy', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'owner.json'))
  await expect(acquireLock(folder)).rejects.toThrow(/ove it away, then start again/)
})

test.each(['sqlite', 'json'])(
  'a backup whose .%s cannot be read does not hide the others',
  async (ending) => {
    const folder = newFolder()
    const store = createBackupStore(folder)
    const [first, second] = ['20261121T164450Z-eea8b8c4', '20261122T164453Z-cc72ce32'] as const
    for (const id of [first, second]) {
      writeFileSync(store.unsealedOf(id), id)
      await store.seal(id, new Date())
    }
    failCalls(join(folder, `${first}.${ending}`), 'EACCES')
    expect(await store.list()).toMatchObject([
      { id: second, verified: true },
      { id: first, verified: false },
    ])
    // It may be readable again tomorrow, and newer than all others.
    expect(surplusOf(await store.list(), 1)).toEqual([])
    setDiskHook(undefined)
    expect(surplusOf(await store.list(), 1)).toMatchObject([{ id: first, verified: true }])
  },
)
