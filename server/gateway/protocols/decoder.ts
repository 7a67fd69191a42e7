import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** Returns a decoder for a content encoding; null if there is none to undo; undefined if it is unknown. */
export function decoderOf(encoding: string): Transform | null | undefined {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip(flush)
    case 'deflate':
      return createInflate(flush)
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}
