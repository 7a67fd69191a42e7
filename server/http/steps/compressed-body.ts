import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import getRawBody from 'raw-body'
import { maxOtlpBytes } from '../../../contract/telemetry/telemetry.ts'
import { fail } from '../../lib/fail.ts'

const decompress = promisify(gunzip)

const mib = 1024 ** 2

/** Returns the content type of a request without its parameters, in lower case; empty without one. */
export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * Reads a body that may be compressed with gzip. Decompression stops at the limit, however much the body would expand
 * to. Throws 400, 413 or 415.
 */
export async function readCompressedBody(req: IncomingMessage): Promise<Buffer> {
  const coding = String(req.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (!['identity', 'gzip'].includes(coding))
    throw fail('request.unsupported_media_type', {
      detail: 'Send the body with gzip, or without a content encoding.',
    })
  const bytes = await getRawBody(req, {
    limit: maxOtlpBytes.sent,
    ...(req.headers['content-length'] !== undefined && { length: req.headers['content-length'] }),
  }).catch((cause: unknown) => {
    const isTooLarge = cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large'
    if (isTooLarge) throw tooLarge(`${maxOtlpBytes.sent / mib} MiB as it is sent`)
    throw fail('request.malformed', { detail: 'The body ended too early.', cause })
  })
  if (coding === 'identity' || bytes.length === 0) return bytes
  return decompress(bytes, { maxOutputLength: maxOtlpBytes.decompressed }).catch((cause: unknown) => {
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw tooLarge(`${maxOtlpBytes.decompressed / mib} MiB decompressed`)
    throw fail('request.malformed', { detail: 'The body is not valid gzip.', cause })
  })
}

const tooLarge = (limit: string) =>
  fail('request.too_large', { detail: `A request can have at most ${limit}. Send smaller batches.` })
