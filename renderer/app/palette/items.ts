import type { ReactNode } from 'react'
import type { Verdict } from '../../lib/session/me.ts'

export const groups = [
  'recent',
  'page',
  'action',
  'settings',
  'run',
  'audit',
  'user',
  'agent',
  'workflow',
  'workspace',
  'client',
] as const
export type Group = (typeof groups)[number]

/** One item of the palette. */
export type Item = {
  /** The same item has the same id in every group: `page:/runs`, `user:<id>`. */
  readonly id: string
  readonly group: Group
  readonly label: string
  readonly description?: string
  readonly icon: ReactNode
  /** Further words that match the item. */
  readonly words?: string
  /** Reason why this user may not choose it; null if allowed. */
  readonly whyNot?: Verdict
  readonly run: () => void
}

/** True if every typed word is the start of a word of the item. */
export function matches(item: Item, text: string): boolean {
  const words = `${item.label} ${item.description ?? ''} ${item.words ?? ''}`.toLowerCase().split(/[\s/·]+/)
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((typed) => words.some((word) => word.startsWith(typed)))
}
