import type { ReactNode } from 'react'
import { fuzzyScore } from '../../../contract/formats/fuzzy.ts'
import type { AuditResource } from '../../../contract/system/audit.ts'
import type { TextKey } from '../../lib/i18n.ts'
import type { Find } from '../../lib/page/resource.ts'
import type { DisabledReason } from '../../lib/session/me.ts'
import { type ConsoleResource, resources } from '../resources.ts'

type Items = NonNullable<ConsoleResource['items']>
export type SearchedResource = ConsoleResource & { readonly items: Items }

export const findsOf = ({ items }: ConsoleResource): readonly Find[] => [items?.find ?? []].flat()

export const searchedResources: readonly SearchedResource[] = resources.filter(
  (resource): resource is SearchedResource => findsOf(resource).length > 0,
)

const fixedGroups = ['recent', 'page', 'action', 'settings'] as const
type Group = (typeof fixedGroups)[number] | AuditResource

export const groups: readonly { readonly name: Group; readonly label: TextKey }[] = [
  ...fixedGroups.map((name) => ({ name, label: `palette:group.${name}` as const })),
  ...searchedResources.map(({ items, title }) => ({ name: items.kind, label: title })),
]

export type Item = {
  /** The same item has the same id in every group: `page:/runs`, `user:<id>`. */
  readonly id: string
  readonly group: Group
  readonly label: string
  readonly description?: string
  readonly icon: ReactNode
  /** Further words that match the item. */
  readonly keywords?: string
  /** Match with the typed text, from 0 (none) to 1 (exact); absent without a text. */
  readonly score?: number
  /** Reason why this user may not choose it; null if allowed. */
  readonly disabledReason?: DisabledReason
  readonly run: () => void
}

/** Lowest score of a listed page, action or setting. Excludes letters that match in order but far apart. */
const minScore = 0.3
/** Factor of a match in the keywords. */
const keywordFactor = 0.8

/** Returns the items that match the text, with their scores. */
export function matching(items: readonly Item[], text: string): readonly Item[] {
  return items.flatMap((item) => {
    const all = `${item.label} ${item.description ?? ''} ${item.keywords ?? ''}`
    const inLabel = fuzzyScore(text, item.label) ?? 0
    const score = Math.max(inLabel, keywordFactor * (fuzzyScore(text, all) ?? 0))
    return score < minScore ? [] : [{ ...item, score }]
  })
}

const groupIndexOf = ({ group }: Item): number => groups.findIndex(({ name }) => name === group)

/**
 * Returns the items by group, the group with the best match first. Recent ones are always first. Without
 * scores, the groups have their fixed order.
 */
export function grouped(items: readonly Item[]): readonly Item[] {
  const best = new Map<Group, number>()
  for (const { group, score = 0 } of items) best.set(group, Math.max(best.get(group) ?? 0, score))
  const rankOf = ({ group }: Item): number => (group === 'recent' ? 2 : (best.get(group) ?? 0))
  return items.toSorted(
    (a, b) => rankOf(b) - rankOf(a) || groupIndexOf(a) - groupIndexOf(b) || (b.score ?? 0) - (a.score ?? 0),
  )
}
