import { maxImported } from '../../../contract/resources/versioned.ts'
import { invalid } from '../../lib/fail.ts'
import { isRecord } from '../../lib/values/is-record.ts'
import { member, UnreadableFile } from '../import-file.ts'

type Fields = Readonly<Record<string, unknown>>
/** An item as read from a file, not yet validated. */
export type RawItem = {
  readonly fields: Fields
  /** Remarks on what was changed or left out. */
  readonly notes: readonly string[]
}
export type PlacedItem = RawItem & {
  readonly file: string
  /** Index of the file in the request, and of the item in the file. */
  readonly fileIndex: number
  readonly index: number
}

/** Accepts a list, a single item, or a list under the plural noun, `data` or `items`. */
function itemsIn(value: unknown, noun: string): Fields[] {
  const listed = isRecord(value)
    ? ([`${noun}s`, 'data', 'items'].map((name) => member(value, name)).find(Array.isArray) ?? [value])
    : value
  if (!Array.isArray(listed)) throw new UnreadableFile(`Contains no ${noun}s: a list is expected`)
  return listed.map((item: unknown, index) => {
    if (!isRecord(item)) throw new UnreadableFile(`Item ${index} is not an object`)
    return item
  })
}

/** Returns the items of all documents of a file. Throws `UnreadableFile` if there are none. */
export function itemsOfFile(documents: readonly unknown[], noun: string): Fields[] {
  const items = documents.filter((value) => value !== null).flatMap((value) => itemsIn(value, noun))
  if (items.length === 0) throw new UnreadableFile(`Contains no ${noun}s`)
  return items
}

/**
 * Returns the items of all files of an import. Throws 422 that names the file, or if there are too many items.
 */
export function placeItems(
  files: readonly { readonly name: string; readonly content: string }[],
  noun: string,
  parse: (name: string, content: string) => readonly RawItem[],
): PlacedItem[] {
  const placed = files.flatMap(({ name, content }, fileIndex) => {
    try {
      const items = parse(name, content)
      return items.map(
        ({ fields, notes }, index): PlacedItem => ({ file: name, fileIndex, index, fields, notes }),
      )
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      throw invalid(`files.${fileIndex}.content`, `${name}: ${error.message}`)
    }
  })
  if (placed.length > maxImported)
    throw invalid('files', `${placed.length} ${noun}s: an import can have at most ${maxImported}`)
  return placed
}
