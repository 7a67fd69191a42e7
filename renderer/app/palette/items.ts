import type { ReactNode } from 'react'
import type { AuditResource } from '../../../contract/system/audit.ts'
import type { TextKey } from '../../lib/i18n.ts'
import type { DisabledReason } from '../../lib/session/me.ts'
import { type ConsoleResource, resources } from '../resources.ts'

type Items = NonNullable<ConsoleResource['items']>
/** A resource whose items the palette finds. */
export type SearchedResource = ConsoleResource & { readonly items: Items & Required<Pick<Items, 'find'>> }

const isSearched = (resource: ConsoleResource): resource is SearchedResource =>
  resource.items?.find !== undefined
const findsBy = (kind: 'text' | 'number') => (resource: SearchedResource) => resource.items.find.by === kind
const all = resources.filter(isSearched)
/** An exact number comes before results of a text. */
export const searchedResources = [...all.filter(findsBy('number')), ...all.filter(findsBy('text'))]

const fixedGroups = ['recent', 'page', 'action', 'settings'] as const
type Group = (typeof fixedGroups)[number] | AuditResource

export const groups: readonly { readonly name: Group; readonly label: TextKey }[] = [
  ...fixedGroups.map((name) => ({ name, label: `palette:group.${name}` as const })),
  ...searchedResources.map(({ items, title }) => ({ name: items.kind, label: title })),
]

/** One item of the palette. */
export type Item = {
  /** The same item has the same id in every group: `page:/runs`, `user:<id>`. */
  readonly id: string
  readonly group: Group
  readonly label: string
  readonly description?: string
  readonly icon: ReactNode
  /** Further words that match the item. */
  readonly keywords?: string
  /** Reason why this user may not choose it; null if allowed. */
  readonly disabledReason?: DisabledReason
  readonly run: () => void
}

/** True if every typed word is the start of a word of the item. */
export function matches(item: Item, text: string): boolean {
  const itemText = `${item.label} ${item.description ?? ''} ${item.keywords ?? ''}`
  const words = itemText.toLowerCase().split(/[\s/·]+/)
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((typed) => words.some((word) => word.startsWith(typed)))
}
