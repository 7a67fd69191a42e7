import { useMemo } from 'react'
import { createPersistedStore, useStore } from './store.ts'

/** A user's choice of columns, stored per table in this browser. */
export type ColumnChoice = {
  readonly hidden: Readonly<Record<string, boolean>>
  /** Widths in pixels, by column. Empty: the table has its designed widths. */
  readonly widths: Readonly<Record<string, number>>
}

/** Limits of a column width, in pixels. */
export const narrowest = 48
export const widest = 1200
/** Width in pixels of a column without a width of its own, once any width is chosen. */
export const usualWidth = 160
export const fitWidth = (width: number): number => Math.round(Math.min(widest, Math.max(narrowest, width)))

const asDesigned: ColumnChoice = { hidden: {}, widths: {} }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWidths = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((width) => typeof width === 'number' && width >= narrowest)
const isChoice = (value: unknown): value is ColumnChoice =>
  isRecord(value) && isRecord(value['hidden']) && isWidths(value['widths'])

export type Density = 'comfortable' | 'compact'
const isDensity = (value: unknown): value is Density => value === 'comfortable' || value === 'compact'
const densityStore = createPersistedStore<Density>('density', 'comfortable', isDensity)

/** Returns the height of table rows, which all tables share, and its setter. */
export function useDensity(): readonly [Density, (next: Density) => void] {
  return [useStore(densityStore), densityStore.set]
}

const choices = new Map<string, ReturnType<typeof createPersistedStore<ColumnChoice>>>()

function choiceStore(table: string) {
  const known = choices.get(table)
  if (known !== undefined) return known
  const made = createPersistedStore<ColumnChoice>(`columns.${table}`, asDesigned, isChoice)
  choices.set(table, made)
  return made
}

/** Returns a table's stored choice of columns and the functions that change it. */
export function useColumnChoice(table: string) {
  const store = useMemo(() => choiceStore(table), [table])
  const choice = useStore(store)
  return useMemo(
    () => ({
      widths: choice.widths,
      isHidden: (key: string, isOptional: boolean): boolean => choice.hidden[key] ?? isOptional,
      toggle: (key: string, isHidden: boolean): void =>
        store.set({ ...store.get(), hidden: { ...store.get().hidden, [key]: isHidden } }),
      /** Merges these widths into those chosen so far. */
      resize: (widths: Readonly<Record<string, number>>): void =>
        store.set({ ...store.get(), widths: { ...store.get().widths, ...widths } }),
      reset: (): void => store.set(asDesigned),
    }),
    [store, choice],
  )
}
