import { createHash } from 'node:crypto'
import type { Query } from '../types.ts'
import type { Row } from '../values.ts'
import { createPageSize, type Key, keyOf, readPage } from './rows.ts'
import type { CopiedTable } from './tables.ts'

export type Compared = {
  readonly table: string
  readonly rows: number
  /** SHA-256 of the rows of both sides in the order of the key. */
  readonly hash: string
  /** The key of the first row that differs or exists on one side only, as JSON; null if all are equal. */
  readonly difference: string | null
}

type Sides = {
  readonly source: Query
  readonly target: Query
  readonly signal: AbortSignal
  readonly onRows: (count: number) => void
}

const textOf = ({ columns }: CopiedTable, row: Row): string =>
  JSON.stringify(columns.map((column) => row[column]))

/** Compares a table of two stores row by row. Ends at the first difference. */
export async function compareTable(sides: Sides, table: CopiedTable): Promise<Compared> {
  const { source, target, signal, onRows } = sides
  const size = createPageSize()
  const hash = createHash('sha256')
  let after: Key | null = null
  let rows = 0
  for (;;) {
    signal.throwIfAborted()
    const limit = size.rows()
    const [left, right] = await Promise.all([
      readPage(source, table, after, limit),
      readPage(target, table, after, limit),
    ])
    const difference = firstDifference(table, left, right, (text) => hash.update(text).update('\n'))
    const last = left.at(-1)
    rows += left.length
    onRows(left.length)
    if (difference !== null || last === undefined)
      return { table: table.name, rows, hash: hash.digest('hex'), difference }
    after = keyOf(table, last)
    size.note(left)
  }
}

function firstDifference(
  table: CopiedTable,
  left: readonly Row[],
  right: readonly Row[],
  onEqual: (text: string) => void,
): string | null {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [a, b] = [left[index], right[index]]
    const row = a ?? b
    if (row === undefined) break
    const text = textOf(table, row)
    if (a === undefined || b === undefined || text !== textOf(table, b))
      return JSON.stringify(keyOf(table, row))
    onEqual(text)
  }
  return null
}
