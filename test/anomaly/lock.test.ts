import { existsSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acquireLock, addressOf, findRunning } from '../../server/db/lock.ts'
import { newFolder, openStore } from '../db/store.ts'
import { start } from './child.ts'

const url = 'http://127.0.0.1:4780'

test('a second process says who has the folder and where it listens, and ends', async () => {
  const folder = newFolder()
  const first = start(folder, 'hold', { url })
  await first.said(1)
  const began = performance.now()
  const { code, error } = await start(folder, 'hold').ended
  expect(code).toBe(1)
  expect(error).toBe(`${folder} is in use by process ${first.pid}: it listens on ${url}.\n`)
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('the refusal itself is immediate', async () => {
  const { folder, lock } = await openStore()
  lock.announce(url)
  const began = performance.now()
  await expect(openStore({ folder })).rejects.toMatchObject({ name: 'StoreError', code: 'locked', url })
  expect(performance.now() - began).toBeLessThan(2000)
})

test('findRunning tells the URL once it is announced, and null when nobody runs', async () => {
  const { db, folder, lock } = await openStore()
  expect(await findRunning(folder)).toBeNull()
  lock.announce(url)
  expect(await findRunning(folder)).toBe(url)
  await db.close()
  expect(await findRunning(folder)).toBeNull()
  expect(await findRunning(join(folder, 'missing'))).toBeNull()
})

test('the lock of a killed process is taken over', async () => {
  const folder = newFolder()
  const first = start(folder, 'hold', { url })
  await first.said(1)
  await first.kill()
  expect(existsSync(addressOf(folder))).toBe(true)
  expect(await findRunning(folder)).toBeNull()
  const second = start(folder, 'hold')
  await second.said(1)
  expect(second.lines).toEqual(['open'])
})

test('of several that start at once on a stale lock exactly one wins', async () => {
  const folder = newFolder()
  const first = start(folder, 'hold')
  await first.said(1)
  await first.kill()
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => acquireLock(folder)))
  const won = results.filter((result) => result.status === 'fulfilled')
  expect(won).toHaveLength(1)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'locked' })
  }
  await won[0]?.value.release()
})

test('another name of the same folder is the same lock', async () => {
  const { folder } = await openStore()
  const other = join(newFolder(), 'link')
  symlinkSync(folder, other)
  await expect(acquireLock(other)).rejects.toMatchObject({ code: 'locked' })
})

test('a process with another TMPDIR still finds the holder', async () => {
  const { folder } = await openStore()
  const { code, error } = await start(folder, 'hold', { env: { TMPDIR: newFolder() } }).ended
  expect(code).toBe(1)
  expect(error).toContain(`in use by process ${process.pid}`)
})

test('a guard left by a crash during a takeover does not lock for ever', async () => {
  const folder = newFolder()
  const guard = `${addressOf(folder)}.takeover`
  writeFileSync(guard, '')
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(guard, longAgo, longAgo)
  await (await acquireLock(folder)).release()
  expect(existsSync(guard)).toBe(false)
})

test('a holder too busy to answer still holds', async () => {
  const folder = newFolder()
  const mute = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => mute.listen(addressOf(folder), resolve))
  await expect(acquireLock(folder)).rejects.toMatchObject({ code: 'locked', url: null })
  await new Promise((resolve) => mute.close(resolve))
})

test('a folder that cannot be one gives a reason', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  await expect(openStore({ folder: file })).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable' })
  await expect(openStore({ folder: join(file, 'below') })).rejects.toThrow(
    /The data folder .* cannot be used/,
  )
})
