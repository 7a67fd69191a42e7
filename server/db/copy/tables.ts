import { sql } from 'kysely'
import type { Query } from '../types.ts'

/** A table of the schema, as a copy needs it. */
export type CopiedTable = {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[]
  /** True if triggers write rows of it while other tables are copied. Its rows are then replaced. */
  readonly hasTriggers: boolean
}

/** Tables that triggers fill, with the table whose rows they count. */
const filledByTriggers: Readonly<Record<string, string>> = { run_sessions: 'runs' }

type Found = CopiedTable & { readonly parents: readonly string[] }

/** Returns every table of the embedded engine's schema, each after the tables that its rows refer to. */
export async function tablesOf(embedded: Query): Promise<readonly CopiedTable[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master
    where type = 'table' and name not like 'sqlite_%' and name <> 'store_state' order by name`.execute(
    embedded,
  )
  const found: Found[] = []
  for (const { name } of rows) found.push(await describe(embedded, name))
  return inOrder(found)
}

async function describe(q: Query, name: string): Promise<Found> {
  const { rows: columns } = await sql<{ name: string; pk: number }>`select name, pk from
    pragma_table_info(${sql.lit(name)}) order by cid`.execute(q)
  const { rows: references } = await sql<{ parent: string }>`select distinct "table" as parent from
    pragma_foreign_key_list(${sql.lit(name)})`.execute(q)
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  if (key.length === 0) throw new Error(`The table ${name} has no primary key, so it cannot be copied`)
  const counted = filledByTriggers[name]
  return {
    name,
    columns: columns.map((column) => column.name),
    key: key.map((column) => column.name),
    hasTriggers: counted !== undefined,
    parents: [...references.map(({ parent }) => parent), ...(counted === undefined ? [] : [counted])],
  }
}

function inOrder(tables: readonly Found[]): CopiedTable[] {
  const ordered: CopiedTable[] = []
  const waiting = new Set(tables)
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name))
    const free = [...waiting].filter(({ parents }) => !parents.some((parent) => names.has(parent)))
    if (free.length === 0) throw new Error(`These tables refer to each other: ${[...names].join(', ')}`)
    for (const table of free) {
      const { parents: _, ...copied } = table
      ordered.push(copied)
      waiting.delete(table)
    }
  }
  return ordered
}
