import type { Locator, Page } from 'playwright-core'

/** The parts of `renderer/ui` as a person meets them; the page objects are made of these. */

/** A list: its rows, its range, its columns. */
export const tablePart = (page: Page, label: string) => {
  const table = page.getByRole('table', { name: label })
  const row = (text: string): Locator => table.locator('tbody tr').filter({ hasText: text })
  return {
    table,
    row,
    rows: table.locator('tbody tr[data-row-id]'),
    /** The ids of a page's rows, top to bottom, once all of them are there. */
    ids: async (): Promise<number[]> => {
      await page.locator('table[aria-busy="false"]').and(table).waitFor()
      return table
        .locator('tbody tr[data-row-id]')
        .evaluateAll((rows) => rows.map((one) => Number(one.getAttribute('data-row-id'))))
    },
    range: page.getByTestId('range'),
    count: page.getByTestId('page-count'),
    /** Opens a row's drawer the way a mouse does: beside whatever can be clicked in it. */
    open: (text: string): Promise<void> => row(text).locator('td[data-col]').first().click(),
    sortBy: (column: string): Promise<void> =>
      table.getByRole('columnheader', { name: column }).getByRole('button').click(),
    /** The titles of the columns that are shown, left to right. */
    titles: async (): Promise<string> => (await table.locator('th[data-col]').allTextContents()).join(' '),
    /** The texts of one column, top to bottom. */
    column: (index: number): Promise<string[]> =>
      table
        .locator('tbody tr[data-row-id]')
        .evaluateAll(
          (rows, at) =>
            rows.map((one) => [...one.querySelectorAll<HTMLElement>('td[data-col]')][at]?.innerText ?? ''),
          index,
        ),
    /** One cell of the row with this id. */
    cell: (id: string | number, index: number): Promise<string> =>
      table.locator(`tr[data-row-id="${id}"] td[data-col]`).nth(index).innerText(),
    /** The box that chooses a row, found by what the row is called. */
    check: (name: string): Locator => table.getByRole('checkbox', { name: `Select ${name}`, exact: true }),
    checkAll: table.getByRole('checkbox', { name: 'Select all rows of this page' }),
    chosen: table.locator('tbody tr[data-chosen]'),
    /** What can be done to the chosen rows. */
    bulk: {
      bar: page.getByTestId('bulk'),
      action: (name: string): Locator => page.getByTestId('bulk').getByRole('button', { name, exact: true }),
    },
    head: (column: string): Locator => table.locator('th').filter({ hasText: column }),
    /** The edge of a column that makes it wider. */
    edge: (column: string): Locator => table.getByRole('separator', { name: `Width of ${column}` }),
    widthOf: (column: string): Promise<number> =>
      table
        .locator('th')
        .filter({ hasText: column })
        .evaluate((cell) => Math.round(cell.getBoundingClientRect().width)),
  }
}

/** The details of the open row. */
export const drawerPart = (page: Page) => {
  const drawer = page.getByTestId('drawer')
  return {
    drawer,
    title: drawer.locator('h2').first(),
    action: (name: string): Locator => drawer.getByRole('button', { name, exact: true }),
    close: (): Promise<void> => drawer.getByRole('button', { name: 'Close' }).click(),
    /** Waits until the drawer shows this, and puts it away with the keyboard. */
    async dismiss(title: string): Promise<void> {
      await drawer.locator('h2').first().filter({ hasText: title }).waitFor()
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    },
  }
}

/** A form or a question on top of everything; the newest when two are open. */
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

/** Chips, "+ Filter" and free text. */
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
      await bar.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByRole('menuitem', { name: field }).click()
    },
    /** Adds a filter whose values are chosen from a list. */
    async add(field: string, ...values: string[]): Promise<void> {
      await bar.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByRole('menuitem', { name: field }).click()
      for (const value of values) await page.getByLabel(value, { exact: true }).check()
      await page.getByRole('button', { name: 'Apply' }).click()
    },
  }
}

/** What `?` shows. */
export const keyListPart = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  return {
    line: (label: string): Locator => dialog.locator('dt').filter({ hasText: label }),
    /** The keys of every line, as they are spelled. */
    keys: (): Promise<string[]> => dialog.locator('dd').allInnerTexts(),
    async close(): Promise<void> {
      await dialog.getByRole('button', { name: 'Close' }).click()
      await dialog.waitFor({ state: 'detached' })
    },
  }
}

export const toast = (page: Page, text: string): Locator =>
  page.getByTestId('toast').filter({ hasText: text })
