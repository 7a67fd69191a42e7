import { pathBeyondDepth } from '../../../contract/formats/json.ts'
import { fail } from '../../lib/fail.ts'
import { hasTooManyElements } from '../../lib/values/json-elements.ts'
import { tooManyElements } from './codec.ts'

/** Parses the JSON form of a message. Throws `request.malformed`, or `request.too_large` for too many elements. */
export function parseJson(bytes: Buffer): unknown {
  if (hasTooManyElements(bytes)) throw tooManyElements()
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
