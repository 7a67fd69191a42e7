import type { Locator, Page } from 'playwright'
import { dialogPart } from '../parts.ts'
import { openPath } from '../warm.ts'

export const settingsPage = (page: Page) => {
  const group = (name: string): Locator => page.getByRole('region', { name, exact: true }).first()
  return {
    group,
    dialog: dialogPart(page),
    goto: (hash = '') => openPath(page, `/settings${hash}`),
    save: (name: string): Locator => page.getByRole('button', { name: `Save ${name}`, exact: true }),
    days: page.getByRole('textbox', { name: 'Keep runs for' }),
    /** Returns the displayed prices, each as the texts of its cells. */
    prices: async (): Promise<string[][]> => {
      const rows = await page.getByRole('table', { name: 'Prices' }).locator('tbody tr').all()
      return Promise.all(rows.map(async (row) => (await row.locator('td').allInnerTexts()).slice(0, 5)))
    },
    findPrice: (text: string): Promise<void> =>
      page.getByRole('textbox', { name: 'Find provider or model' }).fill(text),
    backups: page.getByRole('table', { name: 'Backups' }).locator('tbody tr'),
  }
}
