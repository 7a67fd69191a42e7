import { useMemo } from 'react'
import { createRememberedStore, useStore } from './store.ts'

/** Which columns of a table a person chose to see or hide, and their widths, remembered per table in this browser. */
export type ColumnChoice = {
  readonly hidden: Readonly<Record<string, boolean>>
}

const isChoice = (value: unknown): value is ColumnChoice =>
  typeof value === 'object' && value !== null && 'hidden' in value && typeof value.hidden === 'object'

export type Density = 'comfortable' | 'compact'
const isDensity = (value: unknown): value is Density => value === 'comfortable' || value === 'compact'
const densityStore = createRememberedStore<Density>('density', 'comfortable', isDensity)

export function useDensity(): readonly [Density, (next: Density) => void] {
  return [useStore(densityStore), densityStore.set]
}

const choices = new Map<string, ReturnType<typeof createRememberedStore<ColumnChoice>>>()

function choiceStore(table: string) {
  const known = choices.get(table)
  if (known !== undefined) return known
  const made = createRememberedStore<ColumnChoice>(`columns.${table}`, { hidden: {} }, isChoice)
  choices.set(table, made)
  return made
}

export function useColumnChoice(table: string) {
  const store = useMemo(() => choiceStore(table), [table])
  const choice = useStore(store)
  return {
    isHidden: (key: string, isOptional: boolean): boolean => choice.hidden[key] ?? isOptional,
    toggle: (key: string, isHidden: boolean): void =>
      store.set({ hidden: { ...choice.hidden, [key]: isHidden } }),
    reset: (): void => store.set({ hidden: {} }),
  }
}
