import type { Locator, Page } from 'playwright'

/** Page objects for the components of `renderer/ui`, from which other page objects are built. */

/** Page object for a list: its rows, its range, its columns. */
export const tablePart = (page: Page, label: string) => {
  const table = page.getByRole('table', { name: label })
  const row = (text: string): Locator => table.locator('tbody tr').filter({ hasText: text })
  return {
    table,
    row,
    rows: table.locator('tbody tr[data-row-id]'),
    /** Returns the row ids of a page from top to bottom, once it has loaded. */
    ids: async (): Promise<number[]> => {
      await page.locator('table[aria-busy="false"]').and(table).waitFor()
      return table
        .locator('tbody tr[data-row-id]')
        .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-row-id'))))
    },
    range: page.getByTestId('range'),
    count: page.getByTestId('page-count'),
    /** Opens a row's drawer by a click outside of its controls. */
    open: (text: string): Promise<void> => row(text).locator('td[data-col]').first().click(),
    sortBy: (column: string): Promise<void> =>
      table.getByRole('columnheader', { name: column }).getByRole('button').click(),
    /** Returns the titles of the visible columns, left to right. */
    titles: async (): Promise<string> => (await table.locator('th[data-col]').allTextContents()).join(' '),
    /** Returns the texts of one column, top to bottom. */
    column: (index: number): Promise<string[]> =>
      table
        .locator('tbody tr[data-row-id]')
        .evaluateAll(
          (rows, at) =>
            rows.map((row) => [...row.querySelectorAll<HTMLElement>('td[data-col]')][at]?.innerText ?? ''),
          index,
        ),
    cell: (id: string | number, index: number): Promise<string> =>
      table.locator(`tr[data-row-id="${id}"] td[data-col]`).nth(index).innerText(),
    check: (name: string): Locator => table.getByRole('checkbox', { name: `Select ${name}`, exact: true }),
    checkAll: table.getByRole('checkbox', { name: 'Select all rows on this page' }),
    chosen: table.locator('tbody tr[data-chosen]'),
    /** Actions for the selected rows. */
    bulk: {
      bar: page.getByTestId('bulk'),
      action: (name: string): Locator => page.getByTestId('bulk').getByRole('button', { name, exact: true }),
    },
    head: (column: string): Locator => table.locator('th').filter({ hasText: column }),
    /** Returns the handle that changes the width of a column. */
    edge: (column: string): Locator => table.getByRole('separator', { name: `Width of ${column}` }),
    widthOf: (column: string): Promise<number> =>
      table
        .locator('th')
        .filter({ hasText: column })
        .evaluate((cell) => Math.round(cell.getBoundingClientRect().width)),
  }
}

/** Page object for the details of the open row. */
export const drawerPart = (page: Page) => {
  const drawer = page.getByTestId('drawer')
  return {
    drawer,
    title: drawer.locator('h2').first(),
    action: (name: string): Locator => drawer.getByRole('button', { name, exact: true }),
    close: (): Promise<void> => drawer.getByRole('button', { name: 'Close' }).click(),
    /** Waits for the title in the drawer, and closes it by keyboard. */
    async dismiss(title: string): Promise<void> {
      await drawer.locator('h2').first().filter({ hasText: title }).waitFor()
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    },
  }
}

/** Page object for a modal form or confirmation; the topmost if two are open. */
export const dialogPart = (page: Page) => {
  const dialog = page.locator('[role="dialog"][aria-modal="true"]').last()
  return {
    dialog,
    field: (name: string | RegExp): Locator => dialog.getByRole('textbox', { name, exact: true }),
    choose: (name: string): Promise<void> => dialog.getByRole('radio', { name }).check(),
    button: (name: string): Locator => dialog.getByRole('button', { name, exact: true }),
    alert: dialog.getByRole('alert'),
  }
}

/** Page object for filter chips, "+ Filter" and free text. */
export const filterPart = (page: Page) => {
  const bar = page.getByRole('search', { name: 'Filters' })
  return {
    bar,
    text: bar.getByRole('textbox').first(),
    chip: (field: string): Locator => bar.getByText(`${field}:`),
    remove: (field: string): Promise<void> =>
      bar.getByRole('button', { name: `Remove the filter ${field}` }).click(),
    clear: bar.getByRole('button', { name: 'Clear filters' }),
    /** Opens the editor of a field. */
    async open(field: string): Promise<void> {
      await bar.getByRole('button', { name: 'Add filter', exact: true }).click()
      await page.getByRole('menuitem', { name: field }).click()
    },
    /** Adds a filter whose values are selected from a list. */
    async add(field: string, ...values: string[]): Promise<void> {
      await bar.getByRole('button', { name: 'Add filter', exact: true }).click()
      await page.getByRole('menuitem', { name: field }).click()
      for (const value of values) await page.getByLabel(value, { exact: true }).check()
      await page.getByRole('button', { name: 'Apply' }).click()
    },
  }
}

/** Page object for the list of shortcuts (`?`). */
export const keyListPart = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  return {
    line: (label: string): Locator => dialog.locator('dt').filter({ hasText: label }),
    /** Returns the keys of all lines. */
    keys: (): Promise<string[]> => dialog.locator('dd').allInnerTexts(),
    async close(): Promise<void> {
      await dialog.getByRole('button', { name: 'Close' }).click()
      await dialog.waitFor({ state: 'detached' })
    },
  }
}

export const toast = (page: Page, text: string): Locator =>
  page.getByTestId('toast').filter({ hasText: text })
