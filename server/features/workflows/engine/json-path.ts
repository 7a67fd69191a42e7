import { JSONPathEnvironment } from 'json-p3'

/**
 * RFC 9535 without `match` and `search`, whose patterns a text could be made to hang on. What multiplies work is bounded
 * too: one `..`, and `$` only at the beginning, so a query takes no longer than a few walks through the document.
 */
const environment = new JSONPathEnvironment()
environment.functionRegister.delete('match')
environment.functionRegister.delete('search')

/** What stands between quotes is a name, whatever it looks like. */
const withoutText = (path: string): string => path.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '""')

/** Why a path cannot be used; null when it can. */
export function pathFinding(path: string | undefined): string | null {
  if (path === undefined) return 'json_path needs a path, such as $.items[0].name'
  const bare = withoutText(path)
  if (bare.split('..').length > 2) return '`..` once only'
  if (bare.lastIndexOf('$') > 0) return '`$` at the beginning only'
  if (bare.split('?').length > 3) return 'Two filters at most'
  try {
    environment.compile(path)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export type Extracted = { readonly found: string } | { readonly error: string }

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
/** Models like to put JSON into a code block. */
const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/i

/** One match gives its value, more give a JSON array of them. */
export function extract(text: string, path: string): Extracted {
  let document: unknown
  try {
    document = JSON.parse(fenced.exec(text)?.[1] ?? text)
  } catch {
    return { error: 'What came before is not JSON' }
  }
  try {
    const values: unknown[] = environment
      .query(path, document as Parameters<typeof environment.query>[1])
      .values()
    if (values.length === 0) return { error: `Nothing stands at ${path}` }
    return { found: values.length === 1 ? shown(values[0]) : JSON.stringify(values) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
