import type { Locator, Page } from 'playwright'
import { openPath } from '../warm.ts'

export const statisticsPage = (page: Page) => {
  const table = page.getByRole('table', { name: 'Groups' })
  return {
    by: page.getByLabel('Group by'),
    and: page.getByLabel('Then by'),
    figure: page.getByLabel('Figure', { exact: true }),
    /** Returns the rows as texts, with cells separated by tabs. */
    rows: (): Promise<string[]> =>
      table
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '').join('\t')),
        ),
    sort: (title: string): Locator =>
      table.getByRole('button', { name: new RegExp(`^(Sort by )?${title}(,|$)`) }),
    empty: page.getByTestId('empty'),
    failure: page.getByTestId('error'),
    goto: (search = '') => openPath(page, `/statistics${search}`),
  }
}
