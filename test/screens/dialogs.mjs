/** Dialogs, each as a person comes to it from the page named. */
export const dialogs = [
  {
    name: 'palette',
    path: '/runs',
    open: async (/** @type {import('playwright-core').Page} */ page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('e')
    },
  },
  {
    name: 'connect',
    path: '/clients',
    open: (/** @type {import('playwright-core').Page} */ page) =>
      page.getByRole('button', { name: 'Connect an app' }).first().click(),
  },
  {
    name: 'settings-price',
    path: '/settings#prices',
    open: (/** @type {import('playwright-core').Page} */ page) =>
      page.getByRole('button', { name: 'Add price' }).click(),
  },
  {
    name: 'settings-backups',
    path: '/settings#backups',
    open: (/** @type {import('playwright-core').Page} */ page) => page.getByText('How to restore').click(),
  },
]
