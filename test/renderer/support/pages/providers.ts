import type { Locator, Page } from 'playwright'
import { dialogPart } from '../parts.ts'
import { openPath } from '../warm.ts'

export const providersPage = (page: Page) => {
  const { dialog, ...parts } = dialogPart(page)
  return {
    goto: () => openPath(page, '/providers'),
    card: (label: string): Locator => page.getByRole('region', { name: label, exact: true }),
    cards: page.getByRole('heading', { level: 2 }),
    button: (name: string): Locator => page.getByRole('button', { name, exact: true }),
    form: {
      ...parts,
      dialog,
      key: dialog.getByLabel('API key', { exact: true }).and(page.locator('input')),
      isKeyTested: dialog.getByRole('switch', { name: 'Test the key before saving' }),
      label: dialog.getByRole('textbox', { name: 'Name', exact: true }),
      address: dialog.getByRole('textbox', { name: 'Base URL' }),
      isLocal: dialog.getByRole('switch', { name: 'Runs on this machine or network' }),
      isEnabled: dialog.getByRole('switch', { name: 'Enabled' }),
      models: dialog.getByRole('textbox', { name: 'Available models' }),
      defaultModel: dialog.getByLabel('Default model'),
      concurrency: dialog.getByRole('textbox', { name: 'Max concurrent requests' }),
      keyWarning: dialog.getByText('This is a different host, so the current key will be deleted', {
        exact: false,
      }),
      /** Saves and waits until the dialog is closed. */
      async save(): Promise<void> {
        await parts.button('Save').click()
        await dialog.waitFor({ state: 'detached' })
      },
    },
  }
}
