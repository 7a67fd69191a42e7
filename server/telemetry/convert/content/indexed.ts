import type { Attributes } from '../../protocol/values.ts'

/** Maximum index of a flattened list. */
const maxItems = 1000

/**
 * Returns a list that is flattened into attributes such as `llm.input_messages.0.message.role`, as objects by the names
 * after the index. Null without such attributes.
 */
export function indexedItems(attributes: Attributes, prefix: string): Record<string, unknown>[] | null {
  const items: Record<string, unknown>[] = []
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix)) continue
    const match = /^(\d{1,4})\.(.+)$/.exec(name.slice(prefix.length))
    const [, index = '', field = ''] = match ?? []
    if (match === null || Number(index) >= maxItems || field === '__proto__') continue
    const item = items[Number(index)] ?? {}
    items[Number(index)] = item
    item[field] = value
  }
  const present = items.filter((item) => item !== undefined)
  return present.length === 0 ? null : present
}

/** Returns the values of the fields of items whose name ends with a text. */
export const fieldsEndingWith = (items: readonly Record<string, unknown>[] | null, end: string): string[] =>
  (items ?? []).flatMap((item) =>
    Object.entries(item).flatMap(([name, value]) =>
      name.endsWith(end) && typeof value === 'string' ? [value] : [],
    ),
  )
