import type { Locator, Page } from 'playwright'
import { dialogPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

/** Page object for the list of workflows and its dialogs. */
export const workflowsPage = (page: Page) => ({
  ...tablePart(page, 'Workflows'),
  filters: filterPart(page),
  dialog: dialogPart(page),
  create: page.getByRole('button', { name: 'Create workflow' }).first(),
  goto: (search = '') => openPath(page, `/workflows${search}`),
})

/** Page object for one workflow: its cards, its graph, its executions. */
export const workflowPage = (page: Page) => {
  const card = (name: string): Locator => page.locator(`li[data-step="${name}"][data-type]`)
  return {
    dialog: dialogPart(page),
    goto: (id: string, search = '') => openPath(page, `/workflows/${id}${search}`),
    status: page.getByTestId('definition-status'),
    save: page.getByRole('button', { name: 'Save', exact: true }),
    tab: (name: string): Locator => page.getByRole('tab', { name, exact: true }),
    card,
    /** Opens or closes the fields of a step. */
    open: (name: string): Promise<void> => card(name).locator('button[aria-expanded]').first().click(),
    handle: (name: string): Locator => page.getByRole('button', { name: `Move step ${name}`, exact: true }),
    /** Returns the names of all cards in order. */
    order: (): Promise<(string | null)[]> =>
      page
        .locator('li[data-step][data-type]')
        .evaluateAll((cards) => cards.map((item) => item.getAttribute('data-step'))),
    async menu(name: string, item: string): Promise<void> {
      await page.getByRole('button', { name: `Actions for step ${name}`, exact: true }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
      // An open menu would handle the page's keys.
      await page.getByRole('menu').waitFor({ state: 'detached' })
    },
    graph: page.getByTestId('graph'),
    node: (name: string): Locator =>
      page.getByTestId('graph').locator('.react-flow__node').filter({ hasText: name }),
    run: page.getByRole('button', { name: /^Run v\d+$/ }),
    variable: (name: string): Locator => page.getByRole('textbox', { name, exact: true }),
    ...executionParts(page),
  }
}

const executionParts = (page: Page) => ({
  trace: page.getByRole('list', { name: 'Steps' }),
  step: (name: string): Locator =>
    page.getByRole('list', { name: 'Steps' }).locator(`li[data-step="${name}"]`),
  states: (): Promise<string[]> =>
    page
      .getByRole('list', { name: 'Steps' })
      .locator('li[data-status]')
      .evaluateAll((rows) =>
        rows.map((row) => `${row.getAttribute('data-step')} ${row.getAttribute('data-status')}`),
      ),
  resume: page.getByRole('button', { name: /^Resume/ }),
  cancel: page.getByRole('button', { name: 'Cancel execution', exact: true }),
})

/** Page object for one execution. */
export const executionPage = (page: Page) => ({
  ...executionParts(page),
  goto: (id: string) => openPath(page, `/workflow-runs/${id}`),
  status: page.getByTestId('execution-status'),
  calls: page.locator('dt').filter({ hasText: 'Model calls' }).locator('..').getByRole('link'),
})
