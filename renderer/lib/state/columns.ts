import { useMemo } from 'react'
import { createPersistedStore, useStore } from './store.ts'

/** A user's choice of columns, stored per table in this browser. */
export type ColumnChoice = {
  readonly hidden: Readonly<Record<string, boolean>>
  /** Widths in pixels, by column. Empty: the table has its designed widths. */
  readonly widths: Readonly<Record<string, number>>
}

/** Limits of a column width, in pixels. */
export const minColumnWidth = 48
export const maxColumnWidth = 1200
/** Width in pixels of a column without a width of its own, once any width is chosen. */
export const defaultColumnWidth = 160
export const clampColumnWidth = (width: number): number =>
  Math.round(Math.min(maxColumnWidth, Math.max(minColumnWidth, width)))

const defaultChoice: ColumnChoice = { hidden: {}, widths: {} }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWidths = (value: unknown): boolean =>
  isRecord(value) &&
  Object.values(value).every((width) => typeof width === 'number' && width >= minColumnWidth)
const isChoice = (value: unknown): value is ColumnChoice =>
  isRecord(value) && isRecord(value['hidden']) && isWidths(value['widths'])

export type Density = 'comfortable' | 'compact'
const isDensity = (value: unknown): value is Density => value === 'comfortable' || value === 'compact'
const densityStore = createPersistedStore<Density>('density', 'comfortable', isDensity)

/** Returns the row height, which all tables share, and its setter. */
export function useDensity(): readonly [Density, (next: Density) => void] {
  return [useStore(densityStore), densityStore.set]
}

const choices = new Map<string, ReturnType<typeof createPersistedStore<ColumnChoice>>>()

function choiceStore(table: string) {
  const cached = choices.get(table)
  if (cached !== undefined) return cached
  const created = createPersistedStore<ColumnChoice>(`columns.${table}`, defaultChoice, isChoice)
  choices.set(table, created)
  return created
}

export function useColumnChoice(table: string) {
  const store = useMemo(() => choiceStore(table), [table])
  const choice = useStore(store)
  return useMemo(
    () => ({
      widths: choice.widths,
      isHidden: (key: string, isOptional: boolean): boolean => choice.hidden[key] ?? isOptional,
      toggle: (key: string, isHidden: boolean): void =>
        store.set({ ...store.get(), hidden: { ...store.get().hidden, [key]: isHidden } }),
      /** Shows exactly these columns of the table, and those that cannot be hidden. */
      show: (columns: readonly { readonly key: string }[], shown: readonly string[]): void =>
        store.set({
          ...store.get(),
          hidden: Object.fromEntries(columns.map(({ key }) => [key, !shown.includes(key)])),
        }),
      /** Merges these widths into those chosen so far. */
      resize: (widths: Readonly<Record<string, number>>): void =>
        store.set({ ...store.get(), widths: { ...store.get().widths, ...widths } }),
      reset: (): void => store.set(defaultChoice),
    }),
    [store, choice],
  )
}
