import { AlertFilters } from '../../../../contract/alerts/alert.ts'
import type { RuleRow } from './rules.store.ts'

/** Returns the stored filters of an alert. */
export const filtersOf = ({ filters }: Pick<RuleRow, 'filters'>): AlertFilters =>
  AlertFilters.parse(JSON.parse(filters))

/** Returns filters in the stored form: without empty ones and repeated values. */
export function filtersText(filters: AlertFilters): string {
  const entries = Object.entries(filters).flatMap(([name, values]) =>
    values === undefined ? [] : [[name, [...new Set(values)]]],
  )
  return JSON.stringify(Object.fromEntries(entries))
}
