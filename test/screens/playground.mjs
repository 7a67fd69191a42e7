/**
 * Takes screenshots of the Playground: a prompt on three models while they run and after one has failed, and
 * the panels.
 * @param {{ page: import('playwright').Page, url: string, prompts: { id: string }, suffix: string,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void> }} options
 */
export async function playgroundScreens({ page, url, prompts, suffix, shoot, waitForPage }) {
  const values = {
    'company.name': 'Brightline',
    first_name: 'Ada',
    name: 'Ada',
    'order.id': 'A-4711',
    question: 'Where is my refund?',
  }
  const column = (/** @type {number} */ number) =>
    page.getByRole('article', { name: `Model ${number}`, exact: true })
  const waitForStatus = (/** @type {number} */ number, /** @type {string} */ status) =>
    page.locator(`article[aria-label="Model ${number}"][data-status="${status}"]`).waitFor()
  await page.goto(`${url}/playground?prompt=${prompts.id}`)
  await page.getByTestId('source-state').waitFor()
  await waitForPage(page)
  await page.getByRole('button', { name: 'Add model' }).click()
  await page.getByRole('button', { name: 'Add model' }).click()
  await column(2).getByLabel('Version for model 2').selectOption('v1')
  await column(3).locator('input[aria-label="Name of model 3"]').fill('mock-large')
  await page.keyboard.press('Escape')
  for (const [number, field, value] of /** @type {const} */ ([
    [2, 'Tokens per second', '8'],
    [3, 'Fail at', 'middle'],
  ])) {
    await column(number)
      .getByRole('button', { name: `Parameters of model ${number}` })
      .click()
    const panel = page.getByRole('dialog', { name: 'Parameters' })
    if (field === 'Fail at') await panel.getByLabel(field).selectOption(value)
    else await panel.getByLabel(field).fill(value)
    if (number === 3) await shoot(page, `playground-parameters-${suffix}`)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
  }
  for (const [name, value] of Object.entries(values))
    await page.getByRole('textbox', { name, exact: true }).fill(value)
  await page.keyboard.press('ControlOrMeta+Enter')
  await waitForStatus(1, 'done')
  await column(2).getByText('friendly').waitFor()
  await shoot(page, `playground-running-${suffix}`)
  await waitForStatus(3, 'failed')
  await column(2).getByRole('button', { name: 'Stop model 2' }).click()
  await waitForStatus(2, 'stopped')
  await shoot(page, `playground-full-${suffix}`)
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByTestId('diff').waitFor()
  await shoot(page, `playground-compare-${suffix}`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByRole('list', { name: 'History' }).waitFor()
  await shoot(page, `playground-history-${suffix}`)
  await page.keyboard.press('Escape')
}
