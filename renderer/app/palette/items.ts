import type { ReactNode } from 'react'
import type { Verdict } from '../../lib/me.ts'

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

/** One line of the palette. */
export type Item = {
  /** `page:/runs`, `user:<id>`: the same thing has the same id wherever it is listed. */
  readonly id: string
  readonly group: Group
  readonly label: string
  readonly description?: string
  readonly icon: ReactNode
  /** Further words it is found by. */
  readonly words?: string
  /** Why this person may not choose it; null where they may. */
  readonly whyNot?: Verdict
  readonly run: () => void
}

/** Every word typed begins a word of the line. */
export function matches(item: Item, text: string): boolean {
  const words = `${item.label} ${item.description ?? ''} ${item.words ?? ''}`.toLowerCase().split(/[\s/·]+/)
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((typed) => words.some((word) => word.startsWith(typed)))
}
