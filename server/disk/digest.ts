import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from './fs.ts'

const chunkBytes = 4 * 1024 * 1024

/** Returns size and SHA-256 of a file. Reads it in chunks. */
export function digestFile(file: string): { bytes: number; sha256: string } {
  const handle = openSync(file, 'r')
  try {
    const bytes = fstatSync(handle).size
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(chunkBytes)
    for (let length = readSync(handle, chunk); length > 0; length = readSync(handle, chunk)) {
      hash.update(chunk.subarray(0, length))
    }
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    closeSync(handle)
  }
}
