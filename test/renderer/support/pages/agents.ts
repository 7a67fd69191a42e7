import type { Locator, Page } from 'playwright'
import { dialogPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

/** Page object for the list of agents and its dialogs. */
export const agentsPage = (page: Page) => ({
  ...tablePart(page, 'Agents'),
  filters: filterPart(page),
  dialog: dialogPart(page),
  create: page.getByRole('button', { name: 'Create agent' }).first(),
  import: page.getByRole('button', { name: 'Import', exact: true }).first(),
  empty: page.getByTestId('empty'),
  goto: (search = '') => openPath(page, `/agents${search}`),
})

/** Page object for one agent: its fields, its test area, its versions. */
export const agentPage = (page: Page) => {
  const answer = page.getByRole('region', { name: 'Response', exact: true }).first()
  return {
    dialog: dialogPart(page),
    goto: (id: string, search = '') => openPath(page, `/agents/${id}${search}`),
    status: page.getByTestId('definition-status'),
    save: page.getByRole('button', { name: 'Save', exact: true }),
    tab: (name: string): Locator => page.getByRole('tab', { name, exact: true }),
    content: page.getByTestId('template').getByRole('textbox', { name: 'Text' }),
    field: (name: string): Locator => page.getByRole('textbox', { name, exact: true }),
    run: page.getByRole('button', { name: /^(Run v\d+|Save and run)$/ }),
    stop: page.getByRole('button', { name: 'Stop', exact: true }),
    answer,
    runLink: answer.getByRole('link', { name: /^Run \d+$/ }),
    version: (version: string): Locator => page.locator(`li[data-version="${version}"]`),
    diff: page.getByTestId('diff'),
    /** Replaces the whole text by keyboard. */
    async write(text: string): Promise<void> {
      await page.getByTestId('template').getByRole('textbox', { name: 'Text' }).click()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(text)
    },
  }
}
