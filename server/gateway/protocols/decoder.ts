import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/**
 * Returns a function that creates the decoder for a body with these first bytes; null if there is no encoding to undo;
 * undefined if it is unknown.
 */
export function decoderOf(encoding: string): ((first: Buffer) => Transform) | null | undefined {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return () => createGunzip(flush)
    case 'deflate':
      // Some servers omit the zlib header, whose first byte ends with the method 8 (RFC 1950).
      return ([byte = 8]) => ((byte & 0x0f) === 8 ? createInflate(flush) : createInflateRaw(flush))
    case 'br':
      return () => createBrotliDecompress()
    default:
      return undefined
  }
}
