import { type CursorValue, numberKey, orders, textKey } from '../lib/paging.ts'

type Sorted = {
  readonly id: string
  readonly key: string
  readonly env?: string
  readonly name_folded: string
  readonly created_at: number
  readonly updated_at: number
}

/** Returns the sort orders of a list. `alias` is the table's name in the query, `keys` the columns of a key. */
export const resourceOrder = (alias: string, keys: readonly ('key' | 'env')[]) =>
  orders({
    key: [...keys, 'id'].map((column) => textKey(`${alias}.${column}`)),
    name: [textKey(`${alias}.name_folded`), textKey(`${alias}.id`)],
    created_at: [numberKey(`${alias}.created_at`), textKey(`${alias}.id`)],
    updated_at: [numberKey(`${alias}.updated_at`), textKey(`${alias}.id`)],
  })

/** Returns a function that returns a row's values of a sort order. */
export const orderedValues =
  (sort: string, keys: readonly ('key' | 'env')[]) =>
  (row: Sorted): CursorValue[] => {
    if (sort.endsWith('key')) return [...keys.map((column) => row[column] ?? ''), row.id]
    if (sort.endsWith('name')) return [row.name_folded, row.id]
    return [sort.endsWith('created_at') ? row.created_at : row.updated_at, row.id]
  }

/** Returns the rows in the order of the ids. Ids without a row are skipped. */
export function inOrder<Row extends { readonly id: string }>(
  ids: readonly string[],
  rows: readonly Row[],
): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
