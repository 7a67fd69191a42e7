/** Dialogs, with the page and the user's actions that open each. */
export const dialogs = [
  {
    name: 'palette',
    path: '/runs',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('ed')
      await page.getByRole('option', { name: /edda/ }).first().waitFor()
    },
  },
  {
    name: 'connect',
    path: '/clients',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Connect an app' }).first().click()
      await page.getByRole('tab', { name: 'Python' }).waitFor()
    },
  },
  {
    name: 'settings-price',
    path: '/settings#prices',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Add price' }).click()
      await page.getByRole('dialog', { name: 'Add price' }).waitFor()
    },
  },
  {
    name: 'settings-backups',
    path: '/settings#backups',
    open: (/** @type {import('playwright').Page} */ page) =>
      page.getByText('How to restore a backup').click(),
  },
]
