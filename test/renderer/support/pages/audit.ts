import type { Locator, Page } from 'playwright'
import { dialogPart, drawerPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

export const auditPage = (page: Page) => {
  const table = tablePart(page, 'Audit')
  const drawer = drawerPart(page)
  return {
    ...table,
    drawer,
    dialog: dialogPart(page),
    filters: filterPart(page),
    empty: page.getByTestId('empty'),
    failure: page.getByTestId('error'),
    waiting: page.getByRole('button', { name: /new entr(?:y|ies)$/ }),
    chain: page.getByTestId('chain'),
    verify: page.getByRole('button', { name: 'Verify now' }),
    report: page.getByTestId('chain-report'),
    diff: drawer.drawer.getByTestId('diff'),
    goto: (path = '') => openPath(page, `/audit${path}`),
    entry: (id: number): Locator => table.table.locator(`tr[data-row-id="${id}"]`),
    sentences: async (): Promise<string[]> =>
      (await table.table.getByTestId('sentence').allInnerTexts()).map((text) =>
        text.replace(/\s+/g, ' ').trim(),
      ),
    older: page.getByRole('button', { name: 'Older', exact: true }),
    newer: page.getByRole('button', { name: 'Newer', exact: true }),
    /** Returns the value of a label in the drawer. */
    fact: (label: string): Locator => drawer.drawer.locator(`dt:text-is("${label}") + dd`),
    link: (name: string): Locator => drawer.drawer.getByRole('link', { name, exact: true }),
    async export(format: 'CSV' | 'JSON Lines'): Promise<void> {
      await page.getByRole('button', { name: 'Export formats' }).click()
      await page.getByRole('menuitem', { name: format }).click()
    },
  }
}
