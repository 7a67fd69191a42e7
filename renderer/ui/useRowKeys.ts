import type { KeyboardEvent, RefObject } from 'react'
import { t } from '../lib/i18n.ts'
import { useKeys } from '../lib/keys.ts'

type Options<T> = {
  readonly root: RefObject<HTMLDivElement | null>
  readonly rows: readonly T[]
  readonly idOf: (row: T) => string
  readonly openId: string | undefined
  readonly onOpen: ((row: T) => void) | undefined
}

/** `j` and `k` walk the rows (and the drawer with them while it is open), Enter opens. */
export function useRowKeys<T>({ root, rows, idOf, openId, onOpen }: Options<T>) {
  const rowOf = (id: string): HTMLElement | null =>
    root.current?.querySelector<HTMLElement>(`tr[data-row-id="${CSS.escape(id)}"]`) ?? null

  const move = (step: 1 | -1): void => {
    const focused = document.activeElement?.closest<HTMLElement>('tr[data-row-id]')?.dataset['rowId']
    const at = rows.findIndex((row) => idOf(row) === (openId ?? focused))
    const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step]
    if (next === undefined) return
    const element = rowOf(idOf(next))
    element?.scrollIntoView({ block: 'nearest' })
    if (openId === undefined) element?.focus({ preventScroll: true })
    else onOpen?.(next)
  }

  useKeys(
    onOpen === undefined
      ? []
      : [
          { keys: 'j', label: t('common:keys.down'), run: () => move(1) },
          { keys: 'k', label: t('common:keys.up'), run: () => move(-1) },
        ],
  )

  return {
    onRowKeyDown: (event: KeyboardEvent<HTMLElement>): void => {
      if (event.target !== event.currentTarget) return
      const id = event.currentTarget.dataset['rowId']
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault()
        move(event.key === 'ArrowDown' ? 1 : -1)
      }
      if (event.key !== 'Enter') return
      const row = rows.find((candidate) => idOf(candidate) === id)
      if (row === undefined) return
      event.preventDefault()
      onOpen?.(row)
    },
  }
}
