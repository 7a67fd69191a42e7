import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { plainJson } from '../lib/text/plain-text.ts'

type Fields = Readonly<Record<string, unknown>>

/** Bytes of UTF-8. Longer text is recorded as its SHA-256 and its length in UTF-16 code units. */
const longTextBytes = 4096
/** Bytes. A larger side is recorded as the digest of its JSON, because an audit row must stay small. */
const longSideBytes = 64 * 1024

/** Names of fields that are never recorded: `password`, `password_hash`, `api_key`, `smtpPassword`, … */
const secretName =
  /(?:password|passwordhash|passphrase|secret|secrethash|token|tokenhash|apikey|privatekey|authorization|cookie|credentials|pepper)$/

/** Null and a flag about a secret (`must_change_password`) are not secrets. */
const isSecret = (name: string, value: unknown): boolean =>
  typeof value !== 'boolean' && value !== null && secretName.test(name.toLowerCase().replace(/[_\-\s]/g, ''))

const digest = (text: string) => ({
  sha256: hash('sha256', text, 'hex'),
  length: text.length,
})

/** Returns a value in the form of the log: without secrets at any depth, long text replaced by its digest. */
function recordable(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.byteLength(value) > longTextBytes ? digest(value) : value
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(recordable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([name, member]) => !isSecret(name, member) && member !== undefined)
    .map(([name, member]): [string, unknown] => [name, recordable(member)])
  return Object.fromEntries(entries)
}

export type Changes = { readonly before: string | null; readonly after: string | null }

/** Returns the fields that differ, each side as JSON; null for a missing side. */
export function changesOf(before: Fields | undefined, after: Fields | undefined): Changes {
  const isChanged = (name: string): boolean =>
    before === undefined || after === undefined || !isDeepStrictEqual(before[name], after[name])
  const side = (fields: Fields | undefined): string | null => {
    if (fields === undefined) return null
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => isChanged(name)))
    const json = plainJson(recordable(shown))
    if (Buffer.byteLength(json) <= longSideBytes) return json
    // The workspace remains: it decides who may see an entry about a move.
    const { workspace_id } = shown
    return JSON.stringify({ ...digest(json), ...(workspace_id !== undefined && { workspace_id }) })
  }
  return { before: side(before), after: side(after) }
}
