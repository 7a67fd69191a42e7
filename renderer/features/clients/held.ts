import { useState } from 'react'
import type { Client } from '../../../contract/clients.ts'

/** `hasLeft`: no longer in the list, kept in its place only because someone is reading. */
export type ClientRow = Client & { readonly hasLeft?: true }

type Options = {
  /** Someone is at the rows, scrolled down, or has one open. */
  readonly isHeld: boolean
  /** Filters, page and order: another scope is another list. */
  readonly scope: string
  /** `fresh` still belongs to the scope before. */
  readonly isPlaceholder: boolean
  /** `fresh` is the whole list, so a row that is not in it has left and was not merely pushed to another page. */
  readonly isWhole: boolean
}

/**
 * Clients come and go while someone reads: while held, newcomers are only counted, and who left stays in place, greyed.
 * Like `useCalmRows`, for a list whose rows also disappear.
 */
export function useHeldClients(fresh: readonly Client[], options: Options) {
  const [shown, setShown] = useState<{ readonly scope: string | null; readonly rows: readonly Client[] }>({
    scope: null,
    rows: [],
  })
  const isHolding =
    options.isHeld && shown.scope === options.scope && shown.rows.length > 0 && !options.isPlaceholder
  const isTaken = shown.rows === fresh && shown.scope === options.scope
  if (!isHolding && !options.isPlaceholder && !isTaken) {
    setShown({ scope: options.scope, rows: fresh })
  }
  if (!isHolding) return { rows: fresh as readonly ClientRow[], waiting: 0, release: () => undefined }
  const newest = new Map(fresh.map((row) => [row.id, row]))
  const known = new Set(shown.rows.map((row) => row.id))
  const rows = shown.rows.map((row): ClientRow => {
    const now = newest.get(row.id)
    if (now !== undefined) return now
    return options.isWhole && row.disconnected_at === undefined ? { ...row, hasLeft: true } : row
  })
  return {
    rows,
    waiting: fresh.filter((row) => !known.has(row.id)).length,
    release: () => setShown({ scope: null, rows: [] }),
  }
}

export const isGone = (client: ClientRow): boolean =>
  client.hasLeft === true || client.disconnected_at !== undefined
