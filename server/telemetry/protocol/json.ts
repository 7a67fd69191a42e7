import { pathBeyondDepth } from '../../../contract/formats/json.ts'
import { fail } from '../../lib/fail.ts'
import { maxElements, tooManyElements } from './codec.ts'

const openingBracket = 0x5b
const openingBrace = 0x7b
const comma = 0x2c

/**
 * Parses the JSON form of a message. Throws `request.malformed`, or `request.too_large` for too many elements, which
 * are counted before they take memory. Commas in texts count too, so a long text has a share of its size.
 */
export function parseJson(bytes: Buffer): unknown {
  if (elementsIn(bytes) > maxElements + bytes.length / 16) throw tooManyElements()
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw fail('request.malformed', { detail: 'The body is not JSON in UTF-8.', cause })
  }
  const tooDeep = pathBeyondDepth(value)
  if (tooDeep !== null)
    throw fail('request.malformed', { detail: `The body is nested too deeply: ${tooDeep.slice(0, 200)}` })
  return value
}

function elementsIn(bytes: Buffer): number {
  let count = 0
  for (const byte of bytes) {
    if (byte === openingBrace || byte === openingBracket || byte === comma) count += 1
  }
  return count
}
