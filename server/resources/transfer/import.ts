import type { FieldError } from '../../../contract/common/problem.ts'
import type { ImportedDefinition } from '../../../contract/definitions/definition.ts'
import type { Db } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail, Problem } from '../../lib/fail.ts'
import type { PlacedItem } from './files.ts'
import type { ImportKind, ImportOptions, Plan } from './kind.ts'
import { planImport } from './plan.ts'

/** Number of items after which an import yields to the event loop. */
const itemsPerYield = 20

/**
 * Imports items in one transaction, or only reports the outcomes if `preview` is set. One refused item refuses
 * the import.
 */
export async function importItems<Fields, Row extends { readonly id: string }, Change, Extra>(
  db: Db,
  ctx: Context,
  kind: ImportKind<Fields, Row, Change, Extra>,
  options: ImportOptions,
  placed: readonly PlacedItem[],
) {
  if (options.preview) {
    const plans = await planImport(db.read, ctx.scope, kind, options, placed)
    return reportOf(itemsOf(plans), true)
  }
  return db.write(
    async (tx) => {
      const plans = await planImport(tx.q, ctx.scope, kind, options, placed)
      requireNoRefusal(plans)
      const ids = new Map<Plan<Row, Change, Extra>, string>()
      for (const [index, plan] of (kind.inOrder?.(plans) ?? plans).entries()) {
        const { change } = plan
        if (change !== null)
          ids.set(plan, await kind.writeItem(tx, ctx, { ...plan, change }).catch(failureOf(plan)))
        if ((index + 1) % itemsPerYield === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return reportOf(
        plans.map((plan) => ({ ...plan.item, id: ids.get(plan) ?? plan.item.id })),
        false,
      )
    },
    { isLong: true },
  )
}

/** Returns the message of a version that an import creates. */
export const importMessage = ({ file }: Pick<PlacedItem, 'file'>): string =>
  `Imported from ${file}`.slice(0, 1000)

const itemsOf = <Item>(plans: readonly { readonly item: Item }[]): Item[] => plans.map(({ item }) => item)

type AnyPlan = Plan<unknown, unknown, unknown>

/** Throws a problem with the reason for each refused item. */
function requireNoRefusal(plans: readonly AnyPlan[]): void {
  requireNoErrors(plans.flatMap((plan) => errorsOf(plan, plan.item.errors)))
}

/** Returns a function that throws the error of an item that could not be written; its fields are those of the item. */
const failureOf = (plan: AnyPlan) => (error: unknown) => {
  if (error instanceof Problem && error.code === 'request.invalid')
    requireNoErrors(errorsOf(plan, error.extra.errors ?? []))
  throw error
}

/** Returns errors with the place of an item in the files. */
const errorsOf = ({ item, placed }: AnyPlan, errors: readonly FieldError[]): FieldError[] =>
  errors.map(({ path, message }) => ({
    path: `files.${placed.fileIndex}.${item.index}.${path}`,
    message: `${item.key ?? `item ${item.index}`} in ${item.file}: ${message}`,
  }))

function requireNoErrors(errors: readonly FieldError[]): void {
  const [first] = errors
  if (first === undefined) return
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw fail('request.invalid', { detail: `Nothing was imported. ${first.message}${more}`, errors })
}

function reportOf<Item extends Pick<ImportedDefinition, 'outcome'>>(items: Item[], preview: boolean) {
  const count = (outcome: ImportedDefinition['outcome']) =>
    items.filter((item) => item.outcome === outcome).length
  return {
    preview,
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
    skipped: count('skip'),
    refused: count('refuse'),
    items,
  }
}
