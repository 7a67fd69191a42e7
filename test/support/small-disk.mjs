// @ts-check
import * as fs from 'node:fs'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

const key = 'small disk'

/**
 * A folder with limited space. Shared memory, because worker threads write too: cell 0 is the number of bytes
 * left.
 * @typedef {{ readonly folder: string, readonly cells: Int32Array<SharedArrayBuffer> }} SmallDisk
 */

/**
 * Limits the space for files in `folder`, for this thread and threads started later.
 * @param {string} folder
 * @param {number} bytes
 * @returns {Promise<SmallDisk>}
 */
export async function createSmallDisk(folder, bytes) {
  const disk = { folder, cells: new Int32Array(new SharedArrayBuffer(4)) }
  Atomics.store(disk.cells, 0, bytes)
  setEnvironmentData(key, disk)
  await installSmallDisk()
  return disk
}

/** @param {string} path */
function sizeOf(path) {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** @param {readonly any[]} args */
function growthOfWrite([target, data, , length, position]) {
  const { size } = fs.fstatSync(target)
  if (typeof data === 'string') return Buffer.byteLength(data)
  return Math.max(0, (position ?? size) + (length ?? data.length) - size)
}

/**
 * Returns the bytes by which a call makes its file grow; negative if it frees space.
 * @param {string} call
 * @param {readonly any[]} args
 */
function growthOf(call, args) {
  const [target] = args
  if (call === 'write') return growthOfWrite(args)
  if (call === 'writeFile') {
    const size = typeof target === 'number' ? fs.fstatSync(target).size : sizeOf(target)
    return Buffer.byteLength(args[1]) - size
  }
  if (call === 'ftruncate') return args[1] - fs.fstatSync(target).size
  if (call === 'open' && String(args[1]).startsWith('w')) return -sizeOf(target)
  if (call === 'rm' || call === 'unlink') return -sizeOf(target)
  if (call === 'rename') return -sizeOf(args[1])
  return 0
}

/** Installs the limit inherited from the parent thread, if any. */
export async function installSmallDisk() {
  const disk = /** @type {SmallDisk | undefined} */ (getEnvironmentData(key))
  if (disk === undefined) return
  const { folder, cells } = disk
  const { setDiskHook } = await import('../../dist/server/disk/hook.js')
  setDiskHook({
    /** @param {{ call: string, path: string, args: readonly unknown[] }} operation */
    before({ call, path, args }) {
      if (!path.startsWith(`${folder}/`)) return
      const growth = growthOf(call, args)
      if (growth <= 0) {
        if (growth < 0) Atomics.sub(cells, 0, growth)
        return
      }
      if (Atomics.sub(cells, 0, growth) >= growth) return
      Atomics.add(cells, 0, growth)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    },
  })
}

/** Segments of the journal as in production. Smaller ones find space within the reserve when the disk is full. */
export const usualSegments = { segmentBytes: 8 * 1024 * 1024 }
