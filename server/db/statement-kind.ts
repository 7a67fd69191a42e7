/**
 * `read` changes nothing; `write` goes to the journal; `control` is only for the store (transactions,
 * pragmas, attach).
 */
export type StatementKind = 'read' | 'write' | 'control'

const leading = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()*/
const reads = new Set(['select', 'values', 'explain'])
const writes = new Set(['insert', 'update', 'delete', 'replace', 'create', 'drop', 'alter', 'analyze'])

/** Replay runs the same text again, so time, random values and connection state must not be in it. */
const indeterminate =
  /\b(?:random|randomblob|last_insert_rowid|changes|total_changes)\s*\(|\bcurrent_(?:timestamp|date|time)\b|'now'/i
/** Rolls back the whole transaction without the caller's knowledge. */
const silentRollback = /\bor\s+rollback\b|\braise\s*\(\s*rollback\b/i

/** Returns the kind of a statement by its first keyword. Throws if a replay could not repeat it. */
export function kindOf(sql: string): StatementKind {
  const text = sql.slice(leading.exec(sql)?.[0].length ?? 0)
  const word = /^[a-z]+/i.exec(text)?.[0].toLowerCase() ?? ''
  if (reads.has(word)) return 'read'
  const isWrite = writes.has(word) || (word === 'with' && /\b(?:insert|update|delete|replace)\b/i.test(text))
  if (!isWrite) return word === 'with' ? 'read' : 'control'
  if (silentRollback.test(text)) {
    throw new Error(`OR ROLLBACK would end the transaction silently: ${excerpt(sql)}`)
  }
  if (indeterminate.test(text)) {
    throw new Error(
      `Times, random values and ids are created in JavaScript, or a replay would differ: ${excerpt(sql)}`,
    )
  }
  return 'write'
}

/** Returns the beginning of a statement, for messages. */
export function excerpt(sql: string): string {
  return sql.length > 120 ? `${sql.slice(0, 120)}…` : sql
}
