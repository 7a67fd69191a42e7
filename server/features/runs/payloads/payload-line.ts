import { crc32 } from 'node:zlib'

export type Payload = { readonly input: unknown; readonly output: string | null }
/**
 * A payload with its owner: the run, execution or step. The owner is stored in the line and compared when it
 * is read.
 */
export type OwnedPayload = Payload & { readonly owner: string }

/** The last field of a line: the CRC-32 of the text before it, in hexadecimal. */
const checksumPattern = /,"crc32":"([0-9a-f]{8})"\}\n$/
const checksumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0')

/** Returns the line of a payload: JSON with a checksum. */
export function lineOf({ owner, input, output }: OwnedPayload): Buffer {
  const fields = JSON.stringify({ owner, input, output }).slice(0, -1)
  return Buffer.from(`${fields},"crc32":"${checksumOf(fields)}"}\n`)
}

/** The payload of a line. `owner` is null in lines of version 0.1. */
export type LinePayload = Payload & { readonly owner: string | null }

/**
 * Reads a line. Returns null if the line is damaged or incomplete. Lines of version 0.1 have neither owner nor
 * checksum.
 */
export function readLine(line: string): LinePayload | null {
  const checksum = checksumPattern.exec(line)
  if (checksum !== null && checksumOf(line.slice(0, checksum.index)) !== checksum[1]) return null
  const fields = fieldsOf(line)
  if (fields === null || !('input' in fields) || !('output' in fields)) return null
  const { owner, input, output, ...others } = fields
  // The name of the checksum itself may be damaged.
  const isComplete = checksum !== null || Object.keys(others).length === 0
  const isOwned = typeof owner === 'string' || !('owner' in fields)
  if (!isComplete || !isOwned) return null
  return {
    owner: typeof owner === 'string' ? owner : null,
    input,
    output: typeof output === 'string' ? output : null,
  }
}

/** Reads a line. Returns null if it cannot be read, or belongs to none of `owners`. */
export function payloadIn(line: string, owners: readonly string[]): Payload | null {
  const found = readLine(line)
  if (found === null || (found.owner !== null && !owners.includes(found.owner))) return null
  return { input: found.input, output: found.output }
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
