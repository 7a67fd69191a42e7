import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { restoreFocus } from '../../lib/page/focus.ts'
import { type KeyBinding, useKeys } from '../../lib/page/keys.ts'
import { opensNewTab } from '../../lib/page/openPage.ts'
import type { Selection } from '../../lib/state/selection.ts'
import type { RowEvents } from './TableRow.tsx'

type Options = {
  readonly root: RefObject<HTMLElement | null>
  /** Ids on screen, from top to bottom. */
  readonly ids: readonly string[]
  readonly openId: string | undefined
  readonly onOpen: ((id: string, isNewTab: boolean) => void) | undefined
  readonly selection: Selection | undefined
}

/**
 * Returns the functions that move between rows and select them. They read the newest options, so they are
 * created once.
 */
function createRowCommands(latest: RefObject<Options>) {
  const rowOf = (id: string): HTMLElement | null =>
    latest.current.root.current?.querySelector<HTMLElement>(`tr[data-row-id="${CSS.escape(id)}"]`) ?? null
  const focusedRowId = (): string | undefined =>
    document.activeElement?.closest<HTMLElement>('tr[data-row-id]')?.dataset['rowId']
  return {
    move: (step: 1 | -1): void => {
      const { ids, openId, onOpen } = latest.current
      const at = ids.indexOf(openId ?? focusedRowId() ?? '')
      const next = ids[at === -1 ? (step === 1 ? 0 : ids.length - 1) : at + step]
      if (next === undefined) return
      const element = rowOf(next)
      element?.scrollIntoView({ block: 'nearest' })
      if (openId === undefined) element?.focus({ preventScroll: true })
      else onOpen?.(next, false)
    },
    open: (id: string, isNewTab: boolean): void => latest.current.onOpen?.(id, isNewTab),
    /** With `isRange`, selects all rows from the one selected last. */
    select: (isRange: boolean, id = latest.current.openId ?? focusedRowId()): boolean => {
      const { selection, ids } = latest.current
      if (selection === undefined || id === undefined) return false
      selection.toggle(id, ids, isRange)
      return true
    },
  }
}

type RowCommands = ReturnType<typeof createRowCommands>

const rowEvents = (commands: RowCommands, onFocus: RowEvents['onFocus']): RowEvents => ({
  onOpen: commands.open,
  onChoose: (id, isRange) => void commands.select(isRange, id),
  onFocus,
  onKey: (event, id) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      commands.move(event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key === 'Enter') commands.open(id, opensNewTab(event))
    else if (event.key !== ' ' || !commands.select(event.shiftKey, id)) return
    event.preventDefault()
  },
})

/** Returns the id of the row that is open or had the focus last; of its neighbour once it is removed. */
function useFocusedRow(ids: readonly string[], openId: string | undefined) {
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const [previousIds, setPreviousIds] = useState(ids)
  if (openId !== undefined && openId !== focusedId && ids.includes(openId)) setFocusedId(openId)
  if (previousIds !== ids) {
    setPreviousIds(ids)
    const at = focusedId === null || ids.includes(focusedId) ? -1 : previousIds.indexOf(focusedId)
    const isSameList = at !== -1 && previousIds.some((id) => ids.includes(id))
    if (isSameList) setFocusedId(ids[Math.min(at, ids.length - 1)] ?? null)
  }
  const last = useRef(focusedId)
  useEffect(() => {
    if (last.current !== null && !ids.includes(last.current)) restoreFocus([])
    last.current = focusedId
  }, [ids, focusedId])
  return [focusedId, setFocusedId] as const
}

/**
 * Keyboard control of rows. `j`, `k` and the arrow keys move to the next or previous row; an open drawer then
 * shows that row. Enter opens, with Ctrl in a new tab; `x` and Space select, with Shift a range. Tab reaches one row: the one focused
 * last.
 */
export function useRowKeys(options: Options) {
  const { ids, openId, onOpen, selection } = options
  const latest = useRef(options)
  latest.current = options
  const commands = useMemo(() => createRowCommands(latest), [])
  const [focusedId, setFocusedId] = useFocusedRow(ids, openId)

  const openKeys: readonly KeyBinding[] = [
    { keys: 'j', label: t('common:keys.down'), run: () => commands.move(1) },
    { keys: 'k', label: t('common:keys.up'), run: () => commands.move(-1) },
    { keys: 'Enter', label: t('common:keys.open') },
  ]
  const selectKeys: readonly KeyBinding[] = [
    { keys: 'x', label: t('common:keys.select'), run: () => void commands.select(false) },
    { keys: 'X', label: t('common:keys.select_range'), run: () => void commands.select(true) },
  ]
  useKeys([...(onOpen === undefined ? [] : openKeys), ...(selection === undefined ? [] : selectKeys)])

  const events = useMemo(() => rowEvents(commands, setFocusedId), [commands, setFocusedId])
  const isListed = (id: string | null | undefined): id is string => typeof id === 'string' && ids.includes(id)
  const tabStop = isListed(focusedId) ? focusedId : isListed(openId) ? openId : ids[0]
  return { events, tabStop }
}
