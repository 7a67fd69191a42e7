import type { Locator, Page } from 'playwright'
import { dialogPart } from './parts.ts'

export const providersPage = (page: Page) => {
  const { dialog, ...parts } = dialogPart(page)
  return {
    goto: () => page.goto('/providers'),
    /** Returns the card of a provider by its name. */
    card: (label: string): Locator => page.getByRole('region', { name: label, exact: true }),
    cards: page.getByRole('heading', { level: 2 }),
    button: (name: string): Locator => page.getByRole('button', { name, exact: true }),
    form: {
      ...parts,
      dialog,
      key: dialog.getByLabel('API key', { exact: true }).and(page.locator('input')),
      address: dialog.getByRole('textbox', { name: 'Base URL' }),
      isLocal: dialog.getByRole('switch', { name: 'It runs on this machine or network' }),
      isEnabled: dialog.getByRole('switch', { name: 'Can be used' }),
      models: dialog.getByRole('textbox', { name: 'Models to choose from' }),
      defaultModel: dialog.getByLabel('Default model'),
      concurrency: dialog.getByRole('textbox', { name: 'Calls at one time' }),
      drops: dialog.getByText('This is another host, so the key that is set will be dropped', {
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
