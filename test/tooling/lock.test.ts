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

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('admits one at a time, and all eventually', async () => {
  let inside = 0
  let most = 0
  const body = async () => {
    inside += 1
    most = Math.max(most, inside)
    await turn()
    inside -= 1
  }
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, body, { pollMs: 1 })))
  expect(most).toBe(1)
  expect(existsSync(file)).toBe(false)
})

it('returns the result, rethrows an error, and is released after either', async () => {
  await expect(withLock(file, async () => 7)).resolves.toBe(7)
  await expect(withLock(file, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room')
  await expect(withLock(file, async () => 8)).resolves.toBe(8)
})

it('reports the holder of the lock once while it waits', async () => {
  const told: number[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = withLock(file, () => held)
  const second = withLock(file, async () => 'in', {
    pollMs: 1,
    onWait: (holder) => {
      told.push(holder)
      setTimeout(release, 20)
    },
  })
  await expect(second).resolves.toBe('in')
  await first
  expect(told).toEqual([process.pid])
})

it('takes over from a process that has exited', async () => {
  await withLock(file, async () => {})
  const gone = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(file, String(gone))
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
