import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { epochsIn, readClaim } from '../../../server/db/engines/sqljs/lock/claims.ts'
import { earlierAddressOf } from '../../../server/db/engines/sqljs/lock/earlier-address.ts'
import { acquireLock, refuseOwned } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { findRunning } from '../../../server/db/engines/sqljs/lock/owner.ts'
import { memoryLogger, newFolder, openStore } from '../../db/store.ts'
import { start } from '../child.ts'

const url = 'http://127.0.0.1:4780'
const sockets = (folder: string): string[] =>
  readdirSync(join(folder, 'run')).filter((name) => name.endsWith('.sock'))

test('a second process reports the owner of the folder and its URL, and exits', async () => {
  const folder = newFolder()
  const first = start(folder, 'hold', { url })
  await first.printed(1)
  const { code, error } = await start(folder, 'hold').ended
  expect(code).toBe(1)
  expect(error).toBe(`${folder} is in use by process ${first.pid}: it listens on ${url}. Stop it first.\n`)
})

test('a start removes what killed processes left in TMPDIR, although their folders were deleted', async () => {
  const [folder, TMPDIR] = [newFolder(), newFolder()]
  const hold = async (of: string) => {
    const child = start(of, 'hold', { env: { TMPDIR } })
    await child.printed(1)
    return child
  }
  const killed = await hold(folder)
  await killed.kill()
  rmSync(folder, { recursive: true })
  const copy = join(TMPDIR, 'promptdeck-copy-x')
  mkdirSync(copy, { mode: 0o700 })
  writeFileSync(join(copy, 'process.json'), JSON.stringify({ pid: killed.pid, process: null }))
  await hold(newFolder())
  const longAgo = new Date(Date.now() - 120_000)
  const left = readdirSync(TMPDIR)
  expect(left).toEqual([expect.stringMatching(/sock$/), expect.stringMatching(/sock$/)])
  for (const name of left) utimesSync(join(TMPDIR, name), longAgo, longAgo)
  await hold(newFolder())
  // Those of the two that run.
  expect(readdirSync(TMPDIR)).toHaveLength(2)
})

test('a second store in the same process is refused with the URL', async () => {
  const { folder, lock } = await openStore()
  lock.announce(url)
  await expect(openStore({ folder })).rejects.toMatchObject({ name: 'StoreError', code: 'locked', url })
})

test('findRunning returns the URL once it is announced, and null without a running service', async () => {
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
  await first.printed(1)
  await first.kill()
  expect(sockets(folder)).toHaveLength(1)
  expect(await findRunning(folder)).toBeNull()
  const second = start(folder, 'hold')
  await second.printed(1)
  expect(second.lines).toEqual(['open'])
  expect(sockets(folder)).toHaveLength(1)
})

test('of several that start at once on a stale lock, exactly one succeeds', async () => {
  const folder = newFolder()
  const first = start(folder, 'hold')
  await first.printed(1)
  await first.kill()
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => acquireLock(folder)))
  const acquired = results.filter((result) => result.status === 'fulfilled')
  expect(acquired).toHaveLength(1)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'locked' })
  }
  await acquired[0]?.value.release()
})

test('each owner has a later epoch, and the claims of earlier ones are gone', async () => {
  const folder = newFolder()
  const epochs: number[][] = []
  for (let round = 0; round < 3; round += 1) {
    const lock = await acquireLock(folder)
    epochs.push(epochsIn(join(folder, 'run')))
    await lock.release()
  }
  expect(epochs).toEqual([[1], [2], [3]])
  expect(readdirSync(join(folder, 'run'))).toEqual(['owner-3.json'])
  expect(readClaim(join(folder, 'run'), 3)).toMatchObject({ epoch: 3, pid: process.pid, released: true })
})

test('another name of the same folder is the same lock', async () => {
  const { folder } = await openStore()
  const other = join(newFolder(), 'link')
  symlinkSync(folder, other)
  await expect(acquireLock(other)).rejects.toMatchObject({ code: 'locked' })
})

test('a folder too deep for a socket path is locked by a socket in a private folder', async () => {
  const folder = join(newFolder(), 'd'.repeat(150))
  const first = start(folder, 'hold', { url })
  await first.printed(1)
  const claim = readClaim(join(folder, 'run'), 1)
  const address = typeof claim === 'object' ? claim.address : ''
  expect(Buffer.byteLength(address)).toBeLessThan(104)
  expect(address.startsWith(folder)).toBe(false)
  expect(await findRunning(folder)).toBe(url)
  const { code, error } = await start(folder, 'hold', { env: { TMPDIR: newFolder() } }).ended
  expect({ code, error }).toEqual({
    code: 1,
    error: `${folder} is in use by process ${first.pid}: it listens on ${url}. Stop it first.\n`,
  })
  first.finish()
  expect(await first.ended).toMatchObject({ code: 0 })
  expect(existsSync(dirname(address))).toBe(false)
})

test('a suspended owner keeps the folder and continues', async () => {
  const folder = newFolder()
  const first = start(folder, 'write', { url })
  await first.printed(50)
  first.signal('SIGSTOP')
  await expect(refuseOwned(folder)).rejects.toThrow('which does not answer')
  try {
    const { code, error } = await start(folder, 'hold').ended
    expect({ code, error }).toEqual({
      code: 1,
      error: `${folder} is in use by process ${first.pid}, which does not answer; it may be suspended or very busy. Continue or end that process, then start again.\n`,
    })
  } finally {
    first.signal('SIGCONT')
  }
  await first.printed(first.lines.length + 50)
  expect(await findRunning(folder)).toBe(url)
})

test('a listener at the address of a dead owner can neither prevent a start nor provide a URL', async () => {
  const folder = newFolder()
  const first = start(folder, 'hold')
  await first.printed(1)
  await first.kill()
  const claim = readClaim(join(folder, 'run'), 1)
  const address = typeof claim === 'object' ? claim.address : ''
  const answers = ['', 'rubbish\n', `${JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:9' })}\n`]
  for (const answer of answers) {
    rmSync(address, { force: true })
    const listener = createServer((socket) => {
      socket.on('error', () => {}).resume()
      if (answer !== '') socket.end(answer)
    })
    await new Promise<void>((resolve) => listener.listen(address, resolve))
    expect(await findRunning(folder)).toBeNull()
    const lock = await acquireLock(folder)
    await lock.release()
    await new Promise((resolve) => listener.close(resolve))
  }
})

test('a claim in a copy of the folder is ignored', async () => {
  const { folder } = await openStore()
  const copy = newFolder()
  mkdirSync(join(copy, 'run'), { mode: 0o700 })
  const claim = readClaim(join(folder, 'run'), 1)
  writeFileSync(join(copy, 'run/owner-1.json'), JSON.stringify(claim))
  await (await acquireLock(copy)).release()
})

test('an object at the address of version 0.1 causes a warning, but does not prevent the start', async () => {
  const makers: Record<string, (address: string) => void> = {
    file: (address) => writeFileSync(address, ''),
    folder: (address) => mkdirSync(address),
    'guard left by a crash just now': (address) => writeFileSync(`${address}.takeover`, ''),
  }
  for (const make of Object.values(makers)) {
    const folder = newFolder()
    const address = earlierAddressOf(realpathSync(folder))
    make(address)
    const log = memoryLogger()
    await (await acquireLock(folder, log)).release()
    expect(log.lines).toMatchObject([{ level: 'warn', details: { address } }])
    rmSync(address, { recursive: true, force: true })
    rmSync(`${address}.takeover`, { force: true })
  }
})

test('an old guard left by a crash during a takeover is removed', async () => {
  const folder = newFolder()
  const guard = `${earlierAddressOf(realpathSync(folder))}.takeover`
  writeFileSync(guard, '')
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(guard, longAgo, longAgo)
  const log = memoryLogger()
  await (await acquireLock(folder, log)).release()
  expect(existsSync(guard)).toBe(false)
  expect(log.lines).toEqual([])
})
