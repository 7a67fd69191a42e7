import type { z } from 'zod'
import type { FieldError } from '../../../contract/common/problem.ts'
import type { ImportedDefinition } from '../../../contract/definitions/definition.ts'
import type { WorkspacesTable } from '../../db/schema/workspaces.ts'
import type { Query, Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import type { Place } from '../keys.ts'
import type { PlacedItem } from './files.ts'

/** The options of an import that all kinds have. */
export type ImportOptions = {
  readonly workspace_id: string
  readonly prefix?: string | undefined
  readonly existing: 'update' | 'skip' | 'refuse'
  readonly preview: boolean
}

/** The change that an item makes, or the reasons why it is refused. */
export type Decision<Change, Extra> =
  | { readonly errors: readonly FieldError[] }
  | {
      readonly change: Change
      /** Names of the fields that differ from the existing resource. */
      readonly differing: readonly string[]
      /** The version that the import creates; null: none. */
      readonly version: number | null
      readonly notes: readonly string[]
      readonly extra: Extra
    }

export type ItemToDecide<Fields, Row> = {
  readonly fields: Fields
  readonly placed: PlacedItem
  readonly place: Place
  readonly existing: Row | null
  readonly workspace: WorkspacesTable
}

/** One item with its outcome. */
export type Plan<Row, Change, Extra> = {
  readonly item: ImportedDefinition & Extra
  readonly placed: PlacedItem
  readonly place: Place
  readonly existing: Row | null
  /** Null if nothing is written. */
  readonly change: Change | null
}

/** The parts of a plan that are needed to write it. */
export type PlannedChange<Row, Change> = {
  readonly placed: PlacedItem
  readonly place: Place
  readonly existing: Row | null
  readonly change: Change
}

/**
 * The description of one kind of resource for an import. `Fields` are the parsed fields of an item, `Row` is an
 * existing resource, `Change` is what is written, and `Extra` are the fields that only this kind reports.
 */
export type ImportKind<Fields, Row, Change, Extra> = {
  readonly fields: z.ZodType<Fields>
  readonly placeOf: (fields: Fields) => Place
  /** Returns the extra fields of a report for an item; the place is null if the item could not be parsed. */
  readonly extraOf: (place: Place | null) => Extra
  readonly find: (q: Query, workspace: WorkspacesTable, place: Place) => Promise<Row | null>
  /** Determines what happens to an item. Writes nothing. */
  readonly decide: (q: Query, item: ItemToDecide<Fields, Row>) => Promise<Decision<Change, Extra>>
  /** Returns the plans in the order in which they are written; by default that of the files. */
  readonly inOrder?: (plans: readonly Plan<Row, Change, Extra>[]) => readonly Plan<Row, Change, Extra>[]
  /** Writes a planned item, with its audit entry, and returns the id. */
  readonly writeItem: (tx: Tx, ctx: Context, plan: PlannedChange<Row, Change>) => Promise<string>
}
