import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withLock } from '../../scripts/lib/lock.mjs'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptdeck-lock-'))
  file = join(folder, 'inner/build.lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const yieldOnce = () => new Promise<void>((resolve) => setImmediate(resolve))

it('admits one at a time, and all eventually', async () => {
  let inside = 0
  let maxInside = 0
  const body = async () => {
    inside += 1
    maxInside = Math.max(maxInside, inside)
    await yieldOnce()
    inside -= 1
  }
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, body, { pollMs: 1 })))
  expect(maxInside).toBe(1)
  expect(existsSync(file)).toBe(false)
})

it('returns the result, rethrows an error, and is released after either', async () => {
  await expect(withLock(file, async () => 7)).resolves.toBe(7)
  await expect(withLock(file, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room')
  await expect(withLock(file, async () => 8)).resolves.toBe(8)
})

it('reports the holder of the lock once while it waits', async () => {
  const holders: number[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = withLock(file, () => released)
  const second = withLock(file, async () => 'in', {
    pollMs: 1,
    onWait: (holder) => {
      holders.push(holder)
      setTimeout(release, 20)
    },
  })
  await expect(second).resolves.toBe('in')
  await first
  expect(holders).toEqual([process.pid])
})

it('takes over from a process that has exited', async () => {
  await withLock(file, async () => {})
  const exitedPid = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(file, String(exitedPid))
  await expect(withLock(file, async () => readFileSync(file, 'utf8'))).resolves.toBe(String(process.pid))
})

it('takes over from an owner without a recent heartbeat', async () => {
  await withLock(file, async () => {})
  // Alive, but another program: the process id was reused.
  writeFileSync(file, String(process.ppid))
  const longAgo = Date.now() / 1000 - 600
  utimesSync(file, longAgo, longAgo)
  await expect(withLock(file, async () => 'in')).resolves.toBe('in')
})
