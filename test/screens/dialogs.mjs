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
    name: 'palette-start',
    path: '/runs',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'palette-actions',
    path: '/runs',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('publish greet')
      await page
        .getByRole('option', { name: /Publish/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'palette-nothing',
    path: '/runs',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('zzqqxx')
      await page.getByText('No results').first().waitFor()
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
    name: 'connect-mcp',
    path: '/clients',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Connect an app' }).first().click()
      await page.getByRole('tab', { name: 'MCP' }).click()
      await page.getByRole('region', { name: 'Claude Code' }).waitFor()
    },
  },
  {
    name: 'alerts-create',
    path: '/?provider=openai',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Create alert on Latency' }).click()
      await page.getByLabel('Webhook', { exact: true }).check()
      await page.getByRole('button', { name: 'Generate' }).click()
    },
  },
  {
    name: 'alerts-bell',
    path: '/runs',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByTestId('bell').click()
      await page.getByRole('region', { name: 'Latest alert events' }).waitFor()
    },
  },
  {
    name: 'history-drawer',
    path: '/alert-history',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('cell', { name: 'Slow replies' }).first().click()
      await page.getByRole('table', { name: 'Delivery log' }).waitFor()
    },
  },
  {
    name: 'tokens-create',
    path: '/tokens',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Create API token' }).first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'prompts-export',
    path: '/prompts',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByRole('menuitem', { name: /dotprompt/ }).click()
      await page.getByRole('dialog', { name: /^Export as/ }).waitFor()
    },
  },
  {
    name: 'tokens-budget',
    path: '/tokens',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Actions for the API token gateway-app' }).click()
      await page.getByRole('menuitem', { name: 'Change budget…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'tokens-gateway',
    path: '/tokens',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByRole('button', { name: 'Actions for the API token gateway-app' }).click()
      await page.getByRole('menuitem', { name: 'Change gateway use…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'workspaces-edit',
    path: '/workspaces/default',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.getByTestId('drawer').getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('dialog').getByLabel('Time zone').waitFor()
    },
  },
  {
    name: 'settings-budget',
    path: '/settings#budget',
    open: (/** @type {import('playwright').Page} */ page) =>
      page.getByRole('progressbar', { name: 'Tokens per day' }).waitFor({ state: 'attached' }),
  },
  {
    name: 'settings-virtual',
    path: '/settings#virtual_models',
    open: (/** @type {import('playwright').Page} */ page) =>
      page.getByRole('region', { name: 'Virtual models', exact: true }).waitFor(),
  },
  {
    name: 'audit-restore',
    path: '/audit?action=publish',
    open: async (/** @type {import('playwright').Page} */ page) => {
      await page.locator('tbody tr[data-row-id] td[data-col]').first().click()
      await page.getByRole('button', { name: 'Restore…' }).click()
      await page.getByRole('dialog', { name: /^Restore/ }).waitFor()
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
