import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acquireLock } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { assertPrivate } from '../../../server/db/engines/sqljs/lock/permissions.ts'
import { newFolder, openStore } from '../../db/store.ts'

test('a folder that others may write to is refused, with a remedy', async () => {
  const open = newFolder()
  chmodSync(open, 0o777)
  await expect(acquireLock(open)).rejects.toMatchObject({
    code: 'unreadable',
    message: `Other users may write to the data folder ${open} (mode 0777). Remove that permission: chmod 700 '${open}'`,
  })
  const folder = newFolder()
  const run = join(folder, 'run')
  mkdirSync(run)
  chmodSync(run, 0o770)
  await expect(acquireLock(folder)).rejects.toThrow(`chmod 700 '${run}'`)
})

test('a folder of another user is refused, with a remedy', () => {
  const folder = newFolder()
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, 12_345, 12_345)
  // Without the permission to change the owner, use a folder of root.
  expect(() => assertPrivate(isRoot ? folder : '/')).toThrow(
    /belongs to user \d+, and this process runs as user \d+\. .*chown -R/,
  )
})

test('another object in place of the lock is refused by name', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'run'), '')
  await expect(acquireLock(folder)).rejects.toThrow(
    `${join(folder, 'run')} blocks the lock. Move it away, then start again.`,
  )
  expect(existsSync(join(folder, 'run'))).toBe(true)
  const other = newFolder()
  mkdirSync(join(other, 'run/owner-1.json'), { recursive: true, mode: 0o700 })
  await expect(acquireLock(other)).rejects.toThrow(
    `${join(other, 'run/owner-1.json')} blocks the lock. Move it away, then start again.`,
  )
})

test('a claim that was torn by a crash does not lock forever', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  writeFileSync(join(folder, 'run/owner-7.json'), '{"epoch":7,')
  const lock = await acquireLock(folder)
  expect(lock.fence.epoch).toBe(8)
  await lock.release()
})

test('an impossible folder gives a reason', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  await expect(openStore({ folder: file })).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable' })
  await expect(openStore({ folder: join(file, 'below') })).rejects.toThrow(
    /The data folder .* cannot be used/,
  )
})
