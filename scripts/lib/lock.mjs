import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Interval at which the owner of a lock updates its file, in milliseconds. */
const heartbeatMs = 2_000
/** Age after which an unchanged lock file has no living owner, in milliseconds. */
const staleMs = 30_000

/**
 * Runs `body` while no other process runs one with the same lock file.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} body
 * @param {{ onWait?: (holder: number) => void, pollMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(file, body, { onWait, pollMs = 100 } = {}) {
  mkdirSync(dirname(file), { recursive: true })
  let hasWaited = false
  while (!claim(file)) {
    const holder = holderOf(file)
    if (holder === 'none' || (holder === 'dead' && removeStale(file))) continue
    if (holder !== 'dead' && !hasWaited) {
      onWait?.(holder)
      hasWaited = true
    }
    await wait(pollMs)
  }
  const timer = setInterval(() => touch(file), heartbeatMs)
  timer.unref()
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  try {
    return await body()
  } finally {
    clearInterval(timer)
    process.off('exit', release)
    release()
  }
}

/** @param {string} file */
function claim(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** @param {string} file @returns {number | 'dead' | 'none'} */
function holderOf(file) {
  try {
    const age = Date.now() - statSync(file).mtimeMs
    const pid = Number(readFileSync(file, 'utf8'))
    if (age > staleMs) return 'dead'
    // The file exists but is still empty: its owner is alive.
    if (pid === 0) return 0
    return isAlive(pid) ? pid : 'dead'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'none'
    throw error
  }
}

/**
 * Removes the lock of a dead owner. A second lock file prevents waiters from removing each other's new lock;
 * returns false while another waiter has it.
 * @param {string} file
 */
function removeStale(file) {
  const guard = `${file}.takeover`
  if (!claim(guard)) {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > staleMs) rmSync(guard, { force: true })
    return false
  }
  try {
    if (holderOf(file) === 'dead') rmSync(file, { force: true })
  } finally {
    rmSync(guard, { force: true })
  }
  return true
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {string} file */
function touch(file) {
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : undefined)
