import { JSONPathEnvironment } from 'json-p3'
import { maxJsonDepth, pathBeyondDepth, withoutFence } from '../../../../contract/formats/json.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { maxText } from './values.ts'

/**
 * RFC 9535 without `match` and `search`, whose patterns can take exponential time. Other expensive constructs
 * are limited in the path: one `..`, two filters, and `$` only at the beginning. Unions are not limited, see
 * `extract`.
 */
const environment = new JSONPathEnvironment()
environment.functionRegister.delete('match')
environment.functionRegister.delete('search')

/** Replaces quoted names, so that only operators remain. */
const withoutText = (path: string): string => path.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '""')

/** Returns the reason why a path cannot be used; null if it can. */
export function pathError(path: string | undefined): string | null {
  if (path === undefined) return 'json_path needs a path, such as $.items[0].name'
  const operators = withoutText(path)
  if (operators.split('..').length > 2) return 'At most one `..` is allowed'
  if (operators.lastIndexOf('$') > 0) return '`$` is allowed only at the beginning'
  if (operators.split('?').length > 3) return 'At most two filters are allowed'
  try {
    environment.compile(path)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

export type Extracted = { readonly found: string } | { readonly error: string }

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const tooLarge = { error: 'The result is larger than 1 MiB' }

/**
 * Returns the value of one match, or a JSON array of several. The size of the result is limited, the time is
 * not: a path can repeat a match without end, so this runs in a worker with a time limit.
 */
export function extract(text: string, path: string): Extracted {
  let document: unknown
  try {
    document = JSON.parse(withoutFence(text))
  } catch {
    return { error: 'The input is not JSON' }
  }
  if (pathBeyondDepth(document) !== null)
    return { error: `The input is JSON nested deeper than ${maxJsonDepth} levels` }
  try {
    const values: unknown[] = []
    for (const { value } of environment.lazyQuery(
      path,
      document as Parameters<typeof environment.query>[1],
    )) {
      values.push(value)
      // Each value takes at least two characters, with its comma.
      if (values.length > maxText / 2) return tooLarge
    }
    if (values.length === 0) return { error: `No match for ${path}` }
    const found = values.length === 1 ? toText(values[0]) : JSON.stringify(values)
    return found.length > maxText ? tooLarge : { found }
  } catch (error) {
    return { error: messageOf(error) }
  }
}
