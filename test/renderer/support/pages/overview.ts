import type { Locator, Page } from 'playwright'
import { chartPart } from '../charts.ts'
import { filterPart } from '../parts.ts'
import { openPath } from '../warm.ts'

export const overviewPage = (page: Page) => ({
  ...chartPart(page),
  filters: filterPart(page),
  health: page.getByTestId('health'),
  /** Returns one of the six figures by its label. */
  tile: (label: string): Locator =>
    page.getByTestId('tile').filter({ has: page.getByText(label, { exact: true }) }),
  tiles: page.getByTestId('tile'),
  breakdown: (title: string): Locator => page.getByRole('table', { name: title }),
  list: (title: string): Locator => page.getByRole('list', { name: title }),
  compare: page.getByRole('button', { name: 'Compare', exact: true }),
  pausedUpdates: page.getByTestId('paused-updates'),
  empty: page.getByTestId('empty'),
  failure: page.getByTestId('error'),
  goto: (search = '') => openPath(page, `/${search}`),
  async choosePeriod(name: string): Promise<void> {
    await page.getByRole('button', { name: /^Period:/ }).click()
    await page.getByRole('button', { name, exact: true }).click()
  },
})
